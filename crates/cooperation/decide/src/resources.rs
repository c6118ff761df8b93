//! The cores and the memory that are there.

use std::fs;

/// The number of cores that this process may use, as the standard library finds it; one if that is not known.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, |cores| cores.get())
}

/// The bytes of memory that this process and those that it starts may use: what the system has left, within
/// what the control group leaves. `None` if that is not known.
pub fn memory() -> Option<u64> {
    let system = fs::read_to_string("/proc/meminfo").ok();
    // What the kernel believes can be had without swapping.
    let system = system.and_then(|text| kilobytes(&text, "MemAvailable:"));
    let group = group_limit("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current").or_else(|| {
        let folder = "/sys/fs/cgroup/memory";
        let (most, used) = ("memory.limit_in_bytes", "memory.usage_in_bytes");
        group_limit(&format!("{folder}/{most}"), &format!("{folder}/{used}"))
    });
    system.into_iter().chain(group).min()
}

/// The bytes of memory that this process occupies; `None` on systems other than Linux.
pub fn resident() -> Option<usize> {
    resident_at("/proc/self/status")
}

/// The bytes of memory that another process occupies.
pub(crate) fn resident_of(process: u32) -> Option<usize> {
    resident_at(&format!("/proc/{process}/status"))
}

fn resident_at(status: &str) -> Option<usize> {
    let status = fs::read_to_string(status).ok()?;
    usize::try_from(kilobytes(&status, "VmRSS:")?).ok()
}

/// The bytes that stand behind a name, in a file that counts in kilobytes.
fn kilobytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kilobytes.checked_mul(1024)
}

/// What a control group may still take; its caches count as used, so half of its limit is there in any case.
fn group_limit(most: &str, used: &str) -> Option<u64> {
    let number = |path| fs::read_to_string(path).ok()?.trim().parse::<u64>().ok();
    let (most, used) = (number(most)?, number(used)?);
    Some(most.saturating_sub(used).max(most / 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_of_the_system_is_found() {
        let text = "MemTotal:  100 kB\nMemFree:  7 kB\nMemAvailable:   50 kB\n";
        assert_eq!(kilobytes(text, "MemAvailable:"), Some(50 * 1024));
        assert_eq!(kilobytes("MemTotal: 100 kB\n", "MemAvailable:"), None);
        assert_eq!(kilobytes("MemAvailable: many kB\n", "MemAvailable:"), None);
    }

    #[test]
    fn there_is_something() {
        assert!(cores() >= 1);
        assert!(memory().is_none_or(|bytes| bytes > 0));
        assert!(resident().is_none_or(|bytes| bytes > 100_000));
        assert_eq!(resident().is_some(), cfg!(target_os = "linux"));
    }
}
