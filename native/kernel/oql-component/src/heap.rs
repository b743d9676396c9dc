//! The heap starts inside the memory that the instance is born with (`build.rs` asks for it).
//!
//! Rust's own allocator, which this is, would leave that memory alone and grow from the first byte on. Growing and
//! shrinking back changes page protections, and that interrupts every core of the host: it costs more than a whole
//! call on a small plan.

use core::alloc::{GlobalAlloc, Layout};
use core::arch::wasm32;
use core::cell::{Cell, UnsafeCell};
use core::ptr;
use dlmalloc::{Allocator, Dlmalloc};

#[global_allocator]
static HEAP: Heap = Heap(UnsafeCell::new(Dlmalloc::new_with_allocator(Pages {
    born: Cell::new(true),
})));

struct Heap(UnsafeCell<Dlmalloc<Pages>>);

// SAFETY: an instance has one thread.
unsafe impl Sync for Heap {}

// SAFETY: everything is handed to dlmalloc as it comes, and one thread never has two borrows of it at once, because
// nothing in `Pages` allocates.
unsafe impl GlobalAlloc for Heap {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        unsafe { (*self.0.get()).malloc(layout.size(), layout.align()) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        unsafe { (*self.0.get()).calloc(layout.size(), layout.align()) }
    }

    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        unsafe { (*self.0.get()).free(ptr, layout.size(), layout.align()) }
    }

    unsafe fn realloc(&self, ptr: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        unsafe { (*self.0.get()).realloc(ptr, layout.size(), layout.align(), size) }
    }
}

/// Gives out the memory we were born with, then grows.
struct Pages {
    born: Cell<bool>,
}

const PAGE: usize = 64 << 10;

unsafe extern "C" {
    // Set by the linker: what follows the stack and the data, up to the end of the first memory.
    static __heap_base: u8;
    static __heap_end: u8;
}

// SAFETY: each stretch of memory is given out once: the first by `born`, the others by `memory.grow`. Both are zero.
unsafe impl Allocator for Pages {
    fn alloc(&self, size: usize) -> (*mut u8, usize, u32) {
        let first = (&raw const __heap_base).cast_mut();
        let room = (&raw const __heap_end) as usize - first as usize;
        if self.born.replace(false) && size <= room {
            return (first, room, 0);
        }
        let pages = size.div_ceil(PAGE);
        match wasm32::memory_grow::<0>(pages) {
            usize::MAX => (ptr::null_mut(), 0, 0),
            before => (ptr::without_provenance_mut(before * PAGE), pages * PAGE, 0),
        }
    }

    fn remap(&self, _: *mut u8, _: usize, _: usize, _: bool) -> *mut u8 {
        ptr::null_mut()
    }

    fn free_part(&self, _: *mut u8, _: usize, _: usize) -> bool {
        false
    }

    fn free(&self, _: *mut u8, _: usize) -> bool {
        false
    }

    fn can_release_part(&self, _: u32) -> bool {
        false
    }

    fn allocates_zeros(&self) -> bool {
        true
    }

    fn page_size(&self) -> usize {
        PAGE
    }
}
