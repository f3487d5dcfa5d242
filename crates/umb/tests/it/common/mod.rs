//! What the tests share: archives made from files, and models made at random.

#![allow(dead_code, reason = "not every test uses all of it")]

use umb::{Compression, Indices, Model, ModelType, UmbWriter};

/// The files of an archive.
pub(crate) type Files = Vec<(String, Vec<u8>)>;

/// A tar archive of these files.
pub(crate) fn archive(files: &[(String, Vec<u8>)]) -> Vec<u8> {
    let mut tar = tar::Builder::new(Vec::new());
    for (path, content) in files {
        let mut header = tar::Header::new_ustar();
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        tar.append_data(&mut header, path, &content[..])
            .expect("written to memory");
    }
    tar.into_inner().expect("written to memory")
}

/// The files of an archive that is sound.
pub(crate) fn files(archive: &[u8]) -> Files {
    let umb = umb::Umb::read(archive, &umb::ReadOptions::default()).expect("a sound archive");
    umb.entries()
        .map(|(path, bytes)| (path.to_owned(), bytes.to_vec()))
        .collect()
}

/// Numbers as an archive stores them.
pub(crate) fn u64s(numbers: &[u64]) -> Vec<u8> {
    numbers
        .iter()
        .flat_map(|number| number.to_le_bytes())
        .collect()
}

/// Floating-point numbers as an archive stores them.
pub(crate) fn f64s(numbers: &[f64]) -> Vec<u8> {
    numbers
        .iter()
        .flat_map(|number| number.to_le_bytes())
        .collect()
}

/// A small MDP: state 0 has a coin and a step, 1 and 2 have loops.
pub(crate) fn coin() -> Model<'static> {
    Model {
        initial_states: &[0],
        choice_offsets: Indices::U32(&[0, 2, 3, 4]),
        branch_offsets: Indices::U32(&[0, 2, 3, 4, 5]),
        targets: Indices::U32(&[1, 2, 2, 1, 2]),
        probabilities: Some(&[0.25, 0.75, 1.0, 1.0, 1.0]),
        ..Model::new(ModelType::Mdp)
    }
}

/// What the writer makes, not compressed.
pub(crate) fn plain(writer: &UmbWriter<'_>) -> Vec<u8> {
    let mut file = Vec::new();
    writer
        .write(&mut file, Compression::None)
        .expect("written to memory");
    file
}

/// What the writer makes, compressed and inflated again.
pub(crate) fn through_gzip(writer: &UmbWriter<'_>) -> Vec<u8> {
    let mut file = Vec::new();
    writer
        .write(&mut file, Compression::Gzip)
        .expect("written to memory");
    decompress::inflate(&file, &Default::default())
        .expect("a sound archive")
        .into_owned()
}
