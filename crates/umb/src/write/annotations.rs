//! Adds annotations to an archive: their descriptions in the index, their identifiers, their files.

use crate::annotations::AnnotationInfo;
use crate::bits::Bits;
use crate::entity::Entity;
use crate::error::{Error, ErrorKind};
use crate::format::INDEX;
use crate::index_error::bad;
use crate::numbers::Numbers;
use crate::value_type::{Kind, ValueType};
use crate::values::Values;
use crate::write::UmbWriter;
use crate::write::content::Content;
use crate::write::descriptions::is_id;
use crate::write::outline::bytes_of_bits;
use crate::write::payload::Payload;

/// The values of an annotation, or what stands for them.
enum Stored<'a> {
    Values(Values<'a>),
    Payload(Payload<'a>),
}

impl<'a> UmbWriter<'a> {
    /// Adds an annotation, or replaces the one of the same group and name.
    ///
    /// The group `aps` is for atomic propositions, which are truth values of states. The group
    /// `rewards` is for real numbers. Other groups may have any values. The name may be any text;
    /// it becomes the annotation's alias, and its identifier is derived from it.
    ///
    /// # Errors
    ///
    /// If there is not exactly one value for each of `of`, if the values belong to observations or
    /// players, or if the name of the group has other characters than small letters, digits, `_`
    /// and `-`.
    pub fn annotate(
        &mut self,
        group: &str,
        name: &str,
        of: Entity,
        values: Values<'a>,
    ) -> Result<&mut Self, Error> {
        self.annotate_all(group, name, vec![(of, values)])
    }

    /// Adds an annotation with values for several kinds of elements, such as rewards of states and
    /// of choices. All must have the same type. If there are none, the archive does not change.
    ///
    /// # Errors
    ///
    /// As [`annotate`](Self::annotate), and if the values have different types.
    pub fn annotate_all(
        &mut self,
        group: &str,
        name: &str,
        parts: Vec<(Entity, Values<'a>)>,
    ) -> Result<&mut Self, Error> {
        check_group(group)?;
        let path = format!("annotations/{group}/{name}");
        for (of, values) in &parts {
            self.check_length(&path, *of, values.len())?;
        }
        let parts = parts.into_iter().map(|(of, values)| {
            let info = describe(name, of, &values);
            (of, info, Stored::Values(values))
        });
        self.add_annotation(group, name, parts.collect())
    }

    /// Adds an annotation that is true for some elements, and false for all others. If they are in
    /// ascending order, they take no memory until the archive is written. Members that are not
    /// below the number of elements are left out.
    ///
    /// # Errors
    ///
    /// As [`annotate`](Self::annotate).
    pub fn annotate_members(
        &mut self,
        group: &str,
        name: &str,
        of: Entity,
        members: &'a [u32],
    ) -> Result<&mut Self, Error> {
        let count = self.count_of(of);
        if !members.is_sorted() {
            let members: Vec<u64> = members.iter().copied().map(u64::from).collect();
            let values = Values::Bools(Bits::from_members(count, &members));
            return self.annotate(group, name, of, values);
        }
        check_group(group)?;
        self.check_length(&format!("annotations/{group}/{name}"), of, count)?;
        let info = AnnotationInfo::of(name, of, ValueType::of(Kind::Bool));
        let in_range = members.partition_point(|&member| u64::from(member) < count);
        let members = Payload::Members(count.div_ceil(64), &members[..in_range]);
        self.add_annotation(group, name, vec![(of, info, Stored::Payload(members))])
    }

    /// Adds an annotation whose values are elsewhere: truth values, or 64-bit numbers, of the given
    /// kind. Each array has a number, which identifies it when the archive is written.
    ///
    /// # Errors
    ///
    /// As [`annotate`](Self::annotate), and if the kind is none of [`Kind::Bool`], [`Kind::Uint`],
    /// [`Kind::Int`] and [`Kind::Double`].
    pub fn annotate_elsewhere(
        &mut self,
        group: &str,
        name: &str,
        kind: Kind,
        parts: &[(Entity, usize)],
    ) -> Result<&mut Self, Error> {
        check_group(group)?;
        let path = format!("annotations/{group}/{name}");
        let mut described = Vec::with_capacity(parts.len());
        for &(of, number) in parts {
            let count = self.count_of(of);
            self.check_length(&path, of, count)?;
            let len = match kind {
                Kind::Bool => bytes_of_bits(count),
                Kind::Uint | Kind::Int | Kind::Double => 8 * count,
                _ => {
                    let what = "values of this kind that are elsewhere";
                    return Err(Error::in_entry(&path, ErrorKind::Unsupported { what }));
                }
            };
            let info = AnnotationInfo::of(name, of, ValueType::of(kind));
            let payload = Payload::Elsewhere(len, Content::Values(number));
            described.push((of, info, Stored::Payload(payload)));
        }
        self.add_annotation(group, name, described)
    }

    fn add_annotation(
        &mut self,
        group: &str,
        name: &str,
        parts: Vec<(Entity, AnnotationInfo, Stored<'a>)>,
    ) -> Result<&mut Self, Error> {
        let mut described: Option<AnnotationInfo> = None;
        for (of, info, _) in &parts {
            match &mut described {
                Some(first) if first.value_type != info.value_type => {
                    let kind = ErrorKind::ValueType {
                        what: "values of one annotation",
                        found: info.value_type.to_string(),
                        expected: "one type for all of them",
                    };
                    return Err(Error::in_entry(INDEX, kind));
                }
                Some(first) => first.applies_to.push(*of),
                None => described = Some(info.clone()),
            }
        }
        let Some(info) = described else {
            return Ok(self);
        };
        self.remove(group, name);
        let info = serde_json::to_string(&info).map_err(|error| bad(&error, ""))?;
        let id = self.index.descriptions().add(group, name, info);
        for (of, _, stored) in parts {
            let folder = format!("annotations/{group}/{id}/{of}");
            match stored {
                Stored::Values(values) => self.put_values(&folder, values),
                Stored::Payload(payload) => {
                    self.entries.put(format!("{folder}/values.bin"), payload);
                }
            }
        }
        Ok(self)
    }

    /// Removes the annotations with this name from a group, together with their files.
    fn remove(&mut self, group: &str, name: &str) {
        for id in self.index.descriptions().remove(group, name) {
            self.entries
                .remove_folder(&format!("annotations/{group}/{id}/"));
        }
    }

    fn put_values(&mut self, folder: &str, values: Values<'a>) {
        let payload = match values {
            Values::Bools(bits) => Payload::U64(bits.into_words()),
            Values::Ints(ints) => Payload::I64(ints),
            Values::Uints(uints) => Payload::U64(uints),
            Values::Numbers(Numbers::Doubles(doubles)) => Payload::F64(doubles),
            Values::Numbers(Numbers::Fractions(fractions)) => {
                Payload::Bytes(fractions.as_bytes().0.into())
            }
            Values::Strings { numbers, strings } => {
                self.put_strings(folder, strings.iter());
                Payload::U64(numbers)
            }
        };
        self.entries.put(format!("{folder}/values.bin"), payload);
    }
}

/// Returns the description of an annotation in the index.
fn describe(name: &str, of: Entity, values: &Values<'_>) -> AnnotationInfo {
    let value_type = match values {
        Values::Bools(_) => ValueType::of(Kind::Bool),
        Values::Ints(_) => ValueType::of(Kind::Int),
        Values::Uints(_) => ValueType::of(Kind::Uint),
        Values::Numbers(Numbers::Doubles(_)) => ValueType::of(Kind::Double),
        Values::Numbers(Numbers::Fractions(fractions)) => ValueType {
            kind: Kind::Rational,
            size: Some(fractions.as_bytes().1 as u32 * 8),
        },
        Values::Strings { .. } => ValueType::of(Kind::String),
    };
    let num_strings = match values {
        Values::Strings { strings, .. } => Some(strings.len() as u32),
        _ => None,
    };
    AnnotationInfo {
        num_strings,
        ..AnnotationInfo::of(name, of, value_type)
    }
}

impl AnnotationInfo {
    fn of(name: &str, of: Entity, value_type: ValueType) -> Self {
        Self {
            alias: Some(name.to_owned()),
            description: None,
            applies_to: vec![of],
            value_type,
            lower: None,
            upper: None,
            num_strings: None,
            probability_type: None,
            num_probabilities: None,
        }
    }
}

/// Checks that a group of annotations may have this name.
fn check_group(name: &str) -> Result<(), Error> {
    if name.is_empty() || !name.chars().all(is_id) {
        let name = name.to_owned();
        return Err(Error::in_entry(INDEX, ErrorKind::GroupName { name }));
    }
    Ok(())
}
