//! Making an archive.

use crate::options::{Options, excluded};
use crate::{FAILED, reason};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Component, Path, PathBuf};
use std::time::UNIX_EPOCH;
use tar::{Builder, EntryType, Header};

pub fn create(options: &Options) -> Result<i32, String> {
    let out: Box<dyn Write> = match &options.file {
        Some(path) => Box::new(File::create(path).map_err(|error| format!("{}: {}", path.display(), reason(&error)))?),
        None => Box::new(io::stdout().lock()),
    };
    let out = BufWriter::with_capacity(64 * 1024, out);
    let failed = |error: io::Error| format!("cannot write: {}", reason(&error));
    match options.gzip {
        true => {
            let (out, status) = pack(options, GzEncoder::new(out, Compression::default())).map_err(failed)?;
            out.finish().and_then(|mut out| out.flush()).map_err(failed)?;
            Ok(status)
        }
        false => {
            let (mut out, status) = pack(options, out).map_err(failed)?;
            out.flush().map_err(failed)?;
            Ok(status)
        }
    }
}

fn pack<W: Write>(options: &Options, out: W) -> io::Result<(W, i32)> {
    let mut packer = Packer {
        options,
        builder: Builder::new(out),
        status: 0,
    };
    for (directory, name) in &options.names {
        packer.add(directory, name)?;
    }
    let status = packer.status;
    Ok((packer.builder.into_inner()?, status))
}

struct Packer<'a, W: Write> {
    options: &'a Options,
    builder: Builder<W>,
    status: i32,
}

impl<W: Write> Packer<'_, W> {
    /// Adds what is at `name`, and everything below it.
    fn add(&mut self, directory: &Path, name: &Path) -> io::Result<()> {
        let stored = member(name);
        if excluded(&self.options.exclude, &stored.to_string_lossy()) {
            return Ok(());
        }
        let path = directory.join(name);
        let found = if self.options.follow {
            fs::metadata(&path)
        } else {
            fs::symlink_metadata(&path)
        };
        let metadata = match found {
            Ok(metadata) => metadata,
            Err(error) => return self.complain(name, "Cannot stat", &error),
        };
        let mut header = Header::new_gnu();
        let time = metadata
            .modified()
            .ok()
            .and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        header.set_mtime(time.map_or(0, |time| time.as_secs()));
        header.set_uid(0);
        header.set_gid(0);
        header.set_size(0);
        if metadata.is_dir() {
            self.say(&format!("{}/", stored.display()));
            header.set_entry_type(EntryType::Directory);
            header.set_mode(0o755);
            self.builder.append_data(&mut header, stored.join(""), io::empty())?;
            return self.below(directory, name);
        }
        self.say(&stored.display().to_string());
        if metadata.is_symlink() {
            header.set_entry_type(EntryType::Symlink);
            header.set_mode(0o777);
            return self.builder.append_link(&mut header, stored, fs::read_link(&path)?);
        }
        match File::open(&path) {
            Ok(file) => {
                header.set_mode(0o644);
                header.set_size(metadata.len());
                // What grows or shrinks meanwhile must not spoil the archive.
                let exact = io::Read::chain(file, io::repeat(0));
                self.builder
                    .append_data(&mut header, stored, io::Read::take(exact, metadata.len()))
            }
            Err(error) => self.complain(name, "Cannot open", &error),
        }
    }

    fn below(&mut self, directory: &Path, name: &Path) -> io::Result<()> {
        let mut names = match fs::read_dir(directory.join(name)) {
            Ok(entries) => entries
                .filter_map(Result::ok)
                .map(|entry| entry.file_name())
                .collect::<Vec<_>>(),
            Err(error) => return self.complain(name, "Cannot open", &error),
        };
        names.sort();
        names
            .into_iter()
            .try_for_each(|below| self.add(directory, &name.join(below)))
    }

    fn say(&self, name: &str) {
        if self.options.verbose > 0 {
            // The archive may be what goes to stdout.
            match self.options.file {
                Some(_) => println!("{name}"),
                None => eprintln!("{name}"),
            }
        }
    }

    fn complain(&mut self, name: &Path, what: &str, error: &io::Error) -> io::Result<()> {
        self.status = FAILED;
        eprintln!("tar: {}: {what}: {}", name.display(), reason(error));
        Ok(())
    }
}

/// The name in the archive: never absolute, never upwards.
fn member(name: &Path) -> PathBuf {
    let parts = name
        .components()
        .filter(|part| !matches!(part, Component::RootDir | Component::ParentDir));
    let kept: PathBuf = parts.collect();
    if kept.as_os_str().is_empty() { ".".into() } else { kept }
}
