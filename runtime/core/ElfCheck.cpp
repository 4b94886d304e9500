//===- ElfCheck.cpp - is a file safe to hand to dlopen --------------------===//

#include "runtime/core/ElfCheck.h"
#include "runtime/core/Error.h"

#include <cerrno>
#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

using namespace lz::rt;

namespace {

/// The file under inspection; closes it.
class ElfFile {
public:
  explicit ElfFile(const char *path) : path(path) {}
  ~ElfFile() {
    if (fd >= 0)
      close(fd);
  }
  ElfFile(const ElfFile &) = delete;
  ElfFile &operator=(const ElfFile &) = delete;

  lz_status check();

private:
  lz_status open();
  lz_status readHeader();
  lz_status checkMachine();
  lz_status readSegments();
  lz_status checkSegment(const Elf64_Phdr &segment);
  lz_status readSections();
  lz_status checkSection(const Elf64_Shdr &section);
  lz_status checkInnerSegments();
  lz_status readDynamic();
  lz_status checkTables();
  lz_status checkExport();

  /// True if [offset, offset + bytes) lies within the file.
  bool inFile(uint64_t offset, uint64_t bytes) const {
    return offset <= size && bytes <= size - offset;
  }
  /// True if [address, address + bytes) is loaded from the file; gives its
  /// offset.
  bool mapped(uint64_t address, uint64_t bytes, uint64_t *offset) const;
  bool read(void *data, uint64_t bytes, uint64_t offset) const;
  /// True if a section of that type is just what the segment describes.
  bool isSection(uint32_t type, const Elf64_Phdr &segment) const;
  /// The value of a dynamic tag, or 0.
  uint64_t tag(int64_t name) const;
  lz_status damaged(const char *what) const {
    return fail(LZ_BAD_FILE,
                "%s: truncated or damaged: %s; compile the model again", path,
                what);
  }

  const char *path;
  int fd = -1;
  uint64_t size = 0;
  Elf64_Ehdr header = {};
  std::vector<Elf64_Phdr> segments;
  std::vector<Elf64_Shdr> sections;
  std::vector<Elf64_Dyn> dynamic;
};

} // namespace

bool ElfFile::read(void *data, uint64_t bytes, uint64_t offset) const {
  char *to = static_cast<char *>(data);
  while (bytes) {
    ssize_t n = pread(fd, to, bytes, off_t(offset));
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return false;
    to += n, offset += uint64_t(n), bytes -= uint64_t(n);
  }
  return true;
}

lz_status ElfFile::open() {
  fd = ::open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0)
    return fail(LZ_BAD_FILE, "%s: cannot open: %s", path, strerror(errno));
  struct stat status;
  if (fstat(fd, &status))
    return fail(LZ_BAD_FILE, "%s: cannot read: %s", path, strerror(errno));
  if (!S_ISREG(status.st_mode))
    return fail(LZ_BAD_FILE, "%s: not a regular file", path);
  size = uint64_t(status.st_size);
  return LZ_OK;
}

lz_status ElfFile::readHeader() {
  if (size == 0)
    return fail(LZ_BAD_FILE, "%s: the file is empty", path);
  unsigned char magic[4] = {};
  if (!read(magic, size < 4 ? size : 4, 0))
    return damaged("its header cannot be read");
  if (memcmp(magic, ELFMAG, SELFMAG))
    return fail(LZ_BAD_FILE,
                "%s: not a compiled model (no ELF shared library); compile the "
                "model with lzc first",
                path);
  if (size < sizeof header || !read(&header, sizeof header, 0))
    return damaged("the file ends within its header");
  return LZ_OK;
}

lz_status ElfFile::checkMachine() {
  if (header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_ident[EI_DATA] != ELFDATA2LSB || header.e_machine != EM_X86_64)
    return fail(LZ_BAD_FILE,
                "%s: built for another machine (ELF machine %u), this process "
                "is x86-64 (62)",
                path, unsigned(header.e_machine));
  if (header.e_type != ET_DYN)
    return fail(LZ_BAD_FILE, "%s: not a shared library (ELF type %u)", path,
                unsigned(header.e_type));
  if (header.e_version != EV_CURRENT ||
      header.e_phentsize != sizeof(Elf64_Phdr))
    return damaged("its ELF header is not valid");
  return LZ_OK;
}

lz_status ElfFile::checkSegment(const Elf64_Phdr &segment) {
  if (segment.p_type != PT_LOAD && segment.p_type != PT_DYNAMIC)
    return LZ_OK;
  if (!inFile(segment.p_offset, segment.p_filesz))
    return damaged("a segment lies beyond the end of the file");
  if (segment.p_memsz < segment.p_filesz || segment.p_vaddr > UINT64_MAX / 2 ||
      segment.p_memsz > UINT64_MAX / 2 - segment.p_vaddr)
    return damaged("a segment has a wrong size");
  uint64_t page = uint64_t(sysconf(_SC_PAGESIZE));
  if (segment.p_type == PT_LOAD &&
      segment.p_offset % page != segment.p_vaddr % page)
    return damaged("a segment has a wrong alignment");
  return LZ_OK;
}

lz_status ElfFile::readSegments() {
  if (header.e_phnum == 0 || header.e_phnum > 256)
    return damaged("it has a wrong number of segments");
  segments.resize(header.e_phnum);
  uint64_t bytes = segments.size() * sizeof(Elf64_Phdr);
  if (!inFile(header.e_phoff, bytes) ||
      !read(segments.data(), bytes, header.e_phoff))
    return damaged("its segment table lies beyond the end of the file");
  uint64_t end = 0; // dlopen needs ascending segments
  for (const Elf64_Phdr &segment : segments) {
    if (lz_status s = checkSegment(segment))
      return s;
    if (segment.p_type != PT_LOAD)
      continue;
    if (segment.p_vaddr < end)
      return damaged("its segments overlap");
    end = segment.p_vaddr + segment.p_memsz;
  }
  return end ? LZ_OK : damaged("it has nothing to load");
}

/// Loading does not need the section table. But it comes last in the file, so
/// that its absence tells of truncation, and it says again what the segments
/// say.
lz_status ElfFile::readSections() {
  uint64_t bytes = uint64_t(header.e_shnum) * sizeof(Elf64_Shdr);
  if (!header.e_shoff || !header.e_shnum ||
      header.e_shentsize != sizeof(Elf64_Shdr) ||
      !inFile(header.e_shoff, bytes))
    return damaged("its section table lies beyond the end of the file");
  sections.resize(header.e_shnum);
  if (!read(sections.data(), bytes, header.e_shoff))
    return damaged("its section table cannot be read");
  for (const Elf64_Shdr &section : sections)
    if (section.sh_flags & SHF_ALLOC)
      if (lz_status s = checkSection(section))
        return s;
  return LZ_OK;
}

/// True if `segment` loads all of `section`, with the rights that it needs.
static bool holds(const Elf64_Phdr &segment, const Elf64_Shdr &section) {
  uint64_t skip = section.sh_addr - segment.p_vaddr;
  if (segment.p_type != PT_LOAD || section.sh_addr < segment.p_vaddr ||
      skip > segment.p_memsz || section.sh_size > segment.p_memsz - skip)
    return false;
  if (section.sh_type != SHT_NOBITS &&
      (section.sh_offset != segment.p_offset + skip ||
       skip > segment.p_filesz || section.sh_size > segment.p_filesz - skip))
    return false;
  return (segment.p_flags & PF_R) &&
         (!(section.sh_flags & SHF_WRITE) || (segment.p_flags & PF_W)) &&
         (!(section.sh_flags & SHF_EXECINSTR) || (segment.p_flags & PF_X));
}

lz_status ElfFile::checkSection(const Elf64_Shdr &section) {
  bool threadBss =
      section.sh_type == SHT_NOBITS && (section.sh_flags & SHF_TLS);
  if (!section.sh_size || threadBss)
    return LZ_OK;
  for (const Elf64_Phdr &segment : segments)
    if (holds(segment, section))
      return LZ_OK;
  return damaged("its sections and segments do not agree");
}

/// Segments that describe a part of what others load do so.
lz_status ElfFile::checkInnerSegments() {
  for (const Elf64_Phdr &inner : segments) {
    if (inner.p_type == PT_LOAD || inner.p_type == PT_GNU_STACK ||
        inner.p_type == PT_NULL || !inner.p_memsz)
      continue;
    bool inside = false;
    for (const Elf64_Phdr &outer : segments)
      inside |=
          outer.p_type == PT_LOAD && inner.p_vaddr >= outer.p_vaddr &&
          inner.p_vaddr - outer.p_vaddr <= outer.p_memsz &&
          (inner.p_type == PT_TLS ||
           inner.p_memsz <= outer.p_memsz - (inner.p_vaddr - outer.p_vaddr)) &&
          (inner.p_type != PT_GNU_RELRO || (outer.p_flags & PF_W));
    if (!inside)
      return damaged("a segment lies outside of what is loaded");
  }
  return LZ_OK;
}

bool ElfFile::mapped(uint64_t address, uint64_t bytes, uint64_t *offset) const {
  for (const Elf64_Phdr &segment : segments) {
    if (segment.p_type != PT_LOAD || address < segment.p_vaddr)
      continue;
    uint64_t skip = address - segment.p_vaddr;
    if (skip > segment.p_filesz || bytes > segment.p_filesz - skip)
      continue;
    *offset = segment.p_offset + skip;
    return true;
  }
  return false;
}

bool ElfFile::isSection(uint32_t type, const Elf64_Phdr &segment) const {
  for (const Elf64_Shdr &section : sections)
    if (section.sh_type == type && section.sh_addr == segment.p_vaddr &&
        section.sh_size == segment.p_filesz)
      return true;
  return false;
}

lz_status ElfFile::readDynamic() {
  const Elf64_Phdr *found = nullptr;
  for (const Elf64_Phdr &segment : segments)
    if (segment.p_type == PT_DYNAMIC)
      found = &segment;
  uint64_t offset;
  if (!found || found->p_filesz > (1 << 20) ||
      !mapped(found->p_vaddr, found->p_filesz, &offset) ||
      offset != found->p_offset || !isSection(SHT_DYNAMIC, *found))
    return damaged("it has no valid dynamic segment");
  dynamic.resize(found->p_filesz / sizeof(Elf64_Dyn));
  if (!read(dynamic.data(), dynamic.size() * sizeof(Elf64_Dyn), offset))
    return damaged("its dynamic segment cannot be read");
  for (size_t i = 0; i != dynamic.size(); ++i) {
    if (dynamic[i].d_tag != DT_NULL)
      continue;
    dynamic.resize(i);
    return LZ_OK;
  }
  return damaged("its dynamic segment has no end");
}

uint64_t ElfFile::tag(int64_t name) const {
  for (const Elf64_Dyn &entry : dynamic)
    if (entry.d_tag == name)
      return entry.d_un.d_val;
  return 0;
}

/// Every table that dlopen will follow lies within what it loads.
lz_status ElfFile::checkTables() {
  const struct {
    int64_t address, bytes;
  } tables[] = {{DT_STRTAB, DT_STRSZ},
                {DT_RELA, DT_RELASZ},
                {DT_JMPREL, DT_PLTRELSZ},
                {DT_RELR, DT_RELRSZ}};
  uint64_t offset;
  for (auto &table : tables)
    if (tag(table.bytes) &&
        !mapped(tag(table.address), tag(table.bytes), &offset))
      return damaged("a table of its dynamic segment lies outside of it");
  if (!mapped(tag(DT_SYMTAB), sizeof(Elf64_Sym), &offset))
    return damaged("its symbol table lies outside of it");
  for (int64_t hash : {int64_t(DT_HASH), int64_t(DT_GNU_HASH)})
    if (tag(hash) && !mapped(tag(hash), 16, &offset))
      return damaged("its hash table lies outside of it");
  return LZ_OK;
}

/// True if `name` is one of the strings in `table`.
static bool hasString(const std::string &table, const char *name) {
  return table.find(std::string(1, '\0') + name + '\0') != std::string::npos;
}

/// Looks for the exported name before dlopen runs any code of a foreign
/// library.
lz_status ElfFile::checkExport() {
  uint64_t offset, bytes = tag(DT_STRSZ);
  if (!bytes || bytes > (64 << 20) || !mapped(tag(DT_STRTAB), bytes, &offset))
    return damaged("its string table lies outside of it");
  std::string table(bytes, '\0');
  if (!read(table.data(), bytes, offset))
    return damaged("its string table cannot be read");
  if (hasString(table, LZ_ARTIFACT_SYMBOL))
    return LZ_OK;
  if (table.find("lz_artifact_v") != std::string::npos)
    return fail(LZ_BAD_ABI,
                "%s: a model of another artifact format, this runtime reads "
                "'%s'; compile the model again or update the runtime",
                path, LZ_ARTIFACT_SYMBOL);
  return fail(LZ_BAD_FILE,
              "%s: a shared library, but not a compiled model: it does not "
              "export '%s'",
              path, LZ_ARTIFACT_SYMBOL);
}

lz_status ElfFile::check() {
  for (auto step :
       {&ElfFile::open, &ElfFile::readHeader, &ElfFile::checkMachine,
        &ElfFile::readSegments, &ElfFile::readSections,
        &ElfFile::checkInnerSegments, &ElfFile::readDynamic,
        &ElfFile::checkTables, &ElfFile::checkExport})
    if (lz_status s = (this->*step)())
      return s;
  return LZ_OK;
}

lz_status lz::rt::checkElf(const char *path) { return ElfFile(path).check(); }
