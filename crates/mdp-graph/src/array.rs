//! [`Array`]: an immutable array of numbers, which may be in memory of another language.

use crate::Table;
use bytemuck::Pod;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;
use yoke::Yoke;

/// The owner of the values of an [`Array`]: a vector, or something that has them in its own memory,
/// such as an array of another language.
pub trait Lender<T>: Send + Sync {
    /// Returns the values. They are asked for once, and must stay the same for as long as this
    /// lives.
    fn values(&self) -> &[T];
}

impl<T: Send + Sync> Lender<T> for Vec<T> {
    fn values(&self) -> &[T] {
        self
    }
}

impl<T: Pod + Send + Sync> Lender<T> for Table<T> {
    fn values(&self) -> &[T] {
        self
    }
}

/// A fixed sequence of values, shared by its clones. The address of the values is looked up once,
/// when the array is made. So reading it takes no longer than reading a slice, whoever owns the
/// values.
#[derive(Clone)]
pub struct Array<T: 'static>(Yoke<&'static [T], Arc<dyn Lender<T>>>);

impl<T> Array<T> {
    /// Returns the values of a lender, which lives as long as the array or a clone of it. Nothing
    /// is copied.
    pub fn lent(lender: impl Lender<T> + 'static) -> Self {
        let lender: Arc<dyn Lender<T>> = Arc::new(lender);
        Self(Yoke::attach_to_cart(lender, |lender| lender.values()))
    }
}

impl<T: Send + Sync> From<Vec<T>> for Array<T> {
    fn from(values: Vec<T>) -> Self {
        Self::lent(values)
    }
}

impl<T> Deref for Array<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        self.0.get()
    }
}

impl<T: fmt::Debug> fmt::Debug for Array<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self[..].fmt(f)
    }
}

impl<T: PartialEq> PartialEq for Array<T> {
    fn eq(&self, other: &Self) -> bool {
        self[..] == other[..]
    }
}

impl<T: Eq> Eq for Array<T> {}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    static LIVING: AtomicUsize = AtomicUsize::new(0);

    struct Counted([u32; 3]);

    impl Lender<u32> for Counted {
        fn values(&self) -> &[u32] {
            &self.0
        }
    }

    impl Drop for Counted {
        fn drop(&mut self) {
            LIVING.fetch_sub(1, Relaxed);
        }
    }

    #[test]
    fn a_lender_lives_as_long_as_the_last_clone() {
        LIVING.fetch_add(1, Relaxed);
        let array = Array::lent(Counted([1, 2, 3]));
        let clone = array.clone();
        drop(array);
        assert_eq!((&clone[..], LIVING.load(Relaxed)), (&[1, 2, 3][..], 1));
        assert_eq!(clone, Array::from(vec![1, 2, 3]));
        assert_ne!(clone, Array::from(vec![1, 2]));
        assert_eq!(format!("{clone:?}"), "[1, 2, 3]");
        drop(clone);
        assert_eq!(LIVING.load(Relaxed), 0);
    }

    #[test]
    fn values_of_a_vector_stay_where_they_are() {
        let vector = vec![7u32; 5];
        let place = vector.as_ptr();
        assert_eq!(Array::from(vector).as_ptr(), place);
        assert!(Array::<u32>::from(Vec::new()).is_empty());
    }
}
