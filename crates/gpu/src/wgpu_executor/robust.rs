//! Decides whether kernels may run unchecked: only if the driver itself keeps every access to a
//! buffer within the buffer.
//!
//! On Vulkan this is the feature `robustBufferAccess`. If the driver offers it, wgpu enables it
//! when it opens a device, but does not say so. So this file asks the driver.

use wgpu::Backend;

/// Whether a driver guarantees that accesses to a buffer stay within the buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Robustness {
    /// The device was opened with Vulkan's `robustBufferAccess`.
    Required,
    /// It is a Vulkan driver without this feature.
    Missing,
    /// It is not a Vulkan driver. It is not known here what wgpu requests from other drivers.
    Unknown,
}

/// Returns whether all kernels are checked as they run, and the reason. `asked` is the request of
/// the caller, if there is one.
pub(super) fn checks(asked: Option<bool>, robustness: Robustness) -> (bool, &'static str) {
    match (asked, robustness) {
        (Some(true), _) => (true, "as was asked"),
        (_, Robustness::Missing) => (true, "the driver lacks robustBufferAccess"),
        (_, Robustness::Unknown) => (true, "only Vulkan drivers promise to bound accesses"),
        (Some(false), Robustness::Required) => (false, "as was asked"),
        (None, Robustness::Required) if cfg!(debug_assertions) => (true, "this is a debug build"),
        (None, Robustness::Required) => (false, "the driver bounds accesses (robustBufferAccess)"),
    }
}

/// Returns what the driver of `adapter` guarantees for devices that wgpu opens on it.
pub(super) fn robustness(adapter: &wgpu::Adapter) -> Robustness {
    if adapter.get_info().backend != Backend::Vulkan {
        return Robustness::Unknown;
    }
    match offers_robust_buffer_access(adapter) {
        // wgpu-hal's Vulkan adapter enables the feature whenever it is offered; a test checks this.
        Some(true) => Robustness::Required,
        Some(false) | None => Robustness::Missing,
    }
}

/// Returns whether the physical device offers `robustBufferAccess`.
#[cfg(not(target_vendor = "apple"))]
#[allow(unsafe_code)]
fn offers_robust_buffer_access(adapter: &wgpu::Adapter) -> Option<bool> {
    // SAFETY: the adapter is only read, while wgpu's guard keeps it alive.
    let adapter = unsafe { adapter.as_hal::<wgpu::hal::api::Vulkan>() }?;
    let instance = adapter.shared_instance().raw_instance();
    // SAFETY: the physical device belongs to this instance, and both are alive.
    let features = unsafe { instance.get_physical_device_features(adapter.raw_physical_device()) };
    Some(features.robust_buffer_access != 0)
}

/// Returns `None`: wgpu has no Vulkan there.
#[cfg(target_vendor = "apple")]
fn offers_robust_buffer_access(_: &wgpu::Adapter) -> Option<bool> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_run_unchecked_only_where_the_driver_bounds_accesses() {
        use Robustness::{Missing, Required, Unknown};
        for asked in [None, Some(false), Some(true)] {
            assert!(checks(asked, Missing).0);
            assert!(checks(asked, Unknown).0);
        }
        assert!(checks(Some(true), Required).0);
        assert!(!checks(Some(false), Required).0);
        assert_eq!(checks(None, Required).0, cfg!(debug_assertions));
        let reasons = [None, Some(true), Some(false)].map(|asked| checks(asked, Missing).1);
        let missing = "the driver lacks robustBufferAccess";
        assert_eq!(reasons, [missing, "as was asked", missing]);
    }

    /// Another version of wgpu may enable other features. Then `robustness` has to change.
    #[cfg(not(target_vendor = "apple"))]
    #[test]
    #[allow(unsafe_code)]
    fn wgpu_enables_what_the_driver_offers() {
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
        let all = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::VULKAN));
        if all.is_empty() {
            return eprintln!("SKIPPED: there is no Vulkan driver");
        }
        for adapter in &all {
            let offered = offers_robust_buffer_access(adapter);
            // SAFETY: the adapter is only read.
            let adapter = unsafe { adapter.as_hal::<wgpu::hal::api::Vulkan>() };
            let adapter = adapter.expect("it is a Vulkan adapter");
            let extensions = adapter.required_device_extensions(wgpu::Features::empty());
            let enabled = adapter.physical_device_features(&extensions, wgpu::Features::empty());
            let is_enabled = format!("{enabled:?}").contains("robust_buffer_access: 1");
            assert_eq!(offered, Some(is_enabled), "{enabled:?}");
        }
    }
}
