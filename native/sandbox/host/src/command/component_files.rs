//! Files for a component, with the fence asked first. What the fence has nothing to say about is wasmtime's own.

use super::fenced;
use crate::instance::State;
use fence::Fence;
use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;
use wasmtime::component::{HasData, Linker, Resource};
use wasmtime_wasi::filesystem::{Descriptor, WasiFilesystemCtxView, WasiFilesystemView};
use wasmtime_wasi::p2::bindings::filesystem::types::{
    self, DescriptorFlags, ErrorCode, Host, HostDescriptor, HostDirectoryEntryStream, OpenFlags, PathFlags,
};
use wasmtime_wasi::p2::{DynInputStream, DynOutputStream, FsError, FsResult};
use wasmtime_wasi::{FsPerms, OpenMode};

/// Puts these files in the place of wasmtime's.
pub(super) fn link(linker: &mut Linker<State>) -> wasmtime::Result<()> {
    linker.allow_shadowing(true);
    types::add_to_linker::<State, Fenced>(linker, |state| Files {
        fence: state.fence.clone(),
        own: state.filesystem(),
    })
}

struct Fenced;

impl HasData for Fenced {
    type Data<'a> = Files<'a>;
}

struct Files<'a> {
    fence: Option<Arc<Fence>>,
    own: WasiFilesystemCtxView<'a>,
}

type Fd = Resource<Descriptor>;

impl Files<'_> {
    /// The fence and the directory behind a descriptor, if the guest may change anything there.
    fn fenced(&self, fd: &Fd) -> FsResult<Option<(Arc<Fence>, Arc<File>)>> {
        let Some(fence) = &self.fence else { return Ok(None) };
        Ok(match self.own.table.get(fd)? {
            Descriptor::Dir(dir) if dir.perms == FsPerms::ReadWrite => Some((fence.clone(), dir.dir.clone())),
            _ => None,
        })
    }

    fn may_make(&self, fd: &Fd, path: &str) -> FsResult<()> {
        match self.fenced(fd)? {
            Some((fence, dir)) => done(fenced::may_make(&fence, (&dir, path.as_bytes()))),
            None => Ok(()),
        }
    }
}

/// wasmtime's own table of errors does not have the one that a fence gives.
fn done(result: io::Result<()>) -> FsResult<()> {
    result.map_err(|error| match error.kind() {
        io::ErrorKind::ReadOnlyFilesystem => ErrorCode::ReadOnly.into(),
        _ => error.into(),
    })
}

/// Functions that the fence does not mind.
macro_rules! pass_on {
    ($($(#[$kind:tt])? fn $name:ident($($argument:ident: $type:ty),*) -> $result:ty;)*) => {
        $(pass_on!(@ $($kind)? $name($($argument: $type),*) -> $result);)*
    };
    (@ now $name:ident($($argument:ident: $type:ty),*) -> $result:ty) => {
        fn $name(&mut self, $($argument: $type),*) -> $result {
            HostDescriptor::$name(&mut self.own, $($argument),*)
        }
    };
    (@ $name:ident($($argument:ident: $type:ty),*) -> $result:ty) => {
        async fn $name(&mut self, $($argument: $type),*) -> $result {
            HostDescriptor::$name(&mut self.own, $($argument),*).await
        }
    };
}

impl HostDescriptor for Files<'_> {
    async fn open_at(
        &mut self,
        fd: Fd,
        links: PathFlags,
        path: String,
        how: OpenFlags,
        flags: DescriptorFlags,
    ) -> FsResult<Fd> {
        let Some((fence, _)) = self.fenced(&fd)? else {
            return self.own.open_at(fd, links, path, how, flags).await;
        };
        // Nothing is truncated before the fence has seen what was opened.
        let careful = how & !OpenFlags::TRUNCATE;
        let both = OpenFlags::CREATE | OpenFlags::EXCLUSIVE;
        let mut created = careful.contains(both);
        let first = if created { careful } else { careful & !OpenFlags::CREATE };
        let borrowed = Resource::new_borrow(fd.rep());
        let mut opened = self.own.open_at(fd, links, path.clone(), first, flags).await;
        if let Err(error) = &opened
            && error.downcast_ref() == Some(&ErrorCode::NoEntry)
            && first != careful
        {
            created = true;
            opened = self.own.open_at(borrowed, links, path, careful, flags).await;
        }
        let opened = opened?;
        match self.look(&opened, &fence, created, how.contains(OpenFlags::TRUNCATE)) {
            Ok(()) => Ok(opened),
            Err(refused) => {
                self.own.table.delete(opened)?;
                Err(refused)
            }
        }
    }

    async fn set_times_at(
        &mut self,
        fd: Fd,
        links: PathFlags,
        path: String,
        accessed: types::NewTimestamp,
        modified: types::NewTimestamp,
    ) -> FsResult<()> {
        if let Some((fence, dir)) = self.fenced(&fd)? {
            let follow = links.contains(PathFlags::SYMLINK_FOLLOW);
            done(fence.attributes(&dir, Path::new(&path), follow, None))?;
        }
        self.own.set_times_at(fd, links, path, accessed, modified).await
    }

    async fn create_directory_at(&mut self, fd: Fd, path: String) -> FsResult<()> {
        self.may_make(&fd, &path)?;
        self.own.create_directory_at(fd, path).await
    }

    async fn symlink_at(&mut self, fd: Fd, to: String, path: String) -> FsResult<()> {
        self.may_make(&fd, &path)?;
        self.own.symlink_at(fd, to, path).await
    }

    async fn remove_directory_at(&mut self, fd: Fd, path: String) -> FsResult<()> {
        match self.fenced(&fd)? {
            Some((fence, dir)) => done(fenced::remove_directory(&fence, (&dir, path.as_bytes()))),
            None => self.own.remove_directory_at(fd, path).await,
        }
    }

    async fn unlink_file_at(&mut self, fd: Fd, path: String) -> FsResult<()> {
        match self.fenced(&fd)? {
            Some((fence, dir)) => done(fenced::remove_file(&fence, (&dir, path.as_bytes()))),
            None => self.own.unlink_file_at(fd, path).await,
        }
    }

    async fn rename_at(&mut self, fd: Fd, path: String, to_fd: Fd, to: String) -> FsResult<()> {
        match (self.fenced(&fd)?, self.fenced(&to_fd)?) {
            (Some((fence, from)), Some((_, onto))) => {
                done(fenced::rename(&fence, (&from, path.as_bytes()), (&onto, to.as_bytes())))
            }
            _ => self.own.rename_at(fd, path, to_fd, to).await,
        }
    }

    async fn link_at(&mut self, fd: Fd, links: PathFlags, path: String, to_fd: Fd, to: String) -> FsResult<()> {
        match (self.fenced(&fd)?, self.fenced(&to_fd)?) {
            (Some(_), Some(_)) if links.contains(PathFlags::SYMLINK_FOLLOW) => Err(ErrorCode::Invalid.into()),
            (Some((fence, from)), Some((_, onto))) => {
                done(fenced::link(&fence, (&from, path.as_bytes()), (&onto, to.as_bytes())))
            }
            _ => self.own.link_at(fd, links, path, to_fd, to).await,
        }
    }

    pass_on! {
        fn advise(fd: Fd, offset: u64, length: u64, advice: types::Advice) -> FsResult<()>;
        fn sync_data(fd: Fd) -> FsResult<()>;
        fn get_flags(fd: Fd) -> FsResult<DescriptorFlags>;
        fn get_type(fd: Fd) -> FsResult<types::DescriptorType>;
        fn set_size(fd: Fd, size: u64) -> FsResult<()>;
        fn set_times(fd: Fd, accessed: types::NewTimestamp, modified: types::NewTimestamp) -> FsResult<()>;
        fn read(fd: Fd, length: u64, offset: u64) -> FsResult<(Vec<u8>, bool)>;
        fn write(fd: Fd, bytes: Vec<u8>, offset: u64) -> FsResult<u64>;
        fn read_directory(fd: Fd) -> FsResult<Resource<types::DirectoryEntryStream>>;
        fn sync(fd: Fd) -> FsResult<()>;
        fn stat(fd: Fd) -> FsResult<types::DescriptorStat>;
        fn stat_at(fd: Fd, links: PathFlags, path: String) -> FsResult<types::DescriptorStat>;
        fn readlink_at(fd: Fd, path: String) -> FsResult<String>;
        fn is_same_object(a: Fd, b: Fd) -> wasmtime::Result<bool>;
        fn metadata_hash(fd: Fd) -> FsResult<types::MetadataHashValue>;
        fn metadata_hash_at(fd: Fd, links: PathFlags, path: String) -> FsResult<types::MetadataHashValue>;
        #[now] fn read_via_stream(fd: Fd, offset: u64) -> FsResult<Resource<DynInputStream>>;
        #[now] fn write_via_stream(fd: Fd, offset: u64) -> FsResult<Resource<DynOutputStream>>;
        #[now] fn append_via_stream(fd: Fd) -> FsResult<Resource<DynOutputStream>>;
        #[now] fn drop(fd: Fd) -> wasmtime::Result<()>;
    }
}

impl Files<'_> {
    /// What the fence says of a file that was opened.
    fn look(&self, fd: &Fd, fence: &Fence, created: bool, truncate: bool) -> FsResult<()> {
        let Descriptor::File(found) = self.own.table.get(fd)? else {
            return Ok(());
        };
        if found.open_mode.contains(OpenMode::WRITE) || truncate {
            done(fence.writes(&found.file, created))?;
            if truncate {
                found.file.set_len(0)?;
            }
        }
        if found.open_mode.contains(OpenMode::READ) && !created {
            fence.reads(&found.file);
        }
        Ok(())
    }
}

impl HostDirectoryEntryStream for Files<'_> {
    async fn read_directory_entry(
        &mut self,
        stream: Resource<types::DirectoryEntryStream>,
    ) -> FsResult<Option<types::DirectoryEntry>> {
        self.own.read_directory_entry(stream).await
    }

    fn drop(&mut self, stream: Resource<types::DirectoryEntryStream>) -> wasmtime::Result<()> {
        HostDirectoryEntryStream::drop(&mut self.own, stream)
    }
}

impl Host for Files<'_> {
    fn convert_error_code(&mut self, error: FsError) -> wasmtime::Result<ErrorCode> {
        self.own.convert_error_code(error)
    }

    fn filesystem_error_code(&mut self, error: Resource<wasmtime::Error>) -> wasmtime::Result<Option<ErrorCode>> {
        self.own.filesystem_error_code(error)
    }
}
