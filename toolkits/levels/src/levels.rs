//! levels: the contrast of a grey image, stretched to the whole range. Built by `script/toolkits`, without std.
//!
//! The input is one byte for each pixel. The darkest becomes 0, the brightest 255, the others keep their place between
//! them. An image of one grey stays as it is.
#![no_std]

/// The most pixels of one call.
const ROOM: usize = 1 << 20;

static mut PIXELS: [u8; ROOM] = [0; ROOM];

#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    core::arch::wasm32::unreachable()
}

#[unsafe(no_mangle)]
pub extern "C" fn in_ptr() -> usize {
    &raw const PIXELS as usize
}

/// The answer stands where the input stood.
#[unsafe(no_mangle)]
pub extern "C" fn out_ptr() -> usize {
    in_ptr()
}

#[unsafe(no_mangle)]
pub extern "C" fn process(count: usize) -> usize {
    let all = unsafe { &mut *(&raw mut PIXELS) };
    let Some(pixels) = all.get_mut(..count) else {
        core::arch::wasm32::unreachable()
    };
    let (mut low, mut high) = (255, 0);
    for pixel in pixels.iter() {
        low = low.min(*pixel);
        high = high.max(*pixel);
    }
    if low < high {
        let range = u32::from(high - low);
        for pixel in pixels.iter_mut() {
            let above = u32::from(*pixel - low);
            *pixel = ((above * 255 + range / 2) / range) as u8;
        }
    }
    count
}
