import { isPackageRunner } from '../shell/plain-wrappers.ts'
import { baseName } from '../shell/programs/program-name.ts'

/** The conditions under which a program writes files with names from an archive, a patch or a message. */
interface Unpacker {
  /** A word that makes it do so. Without this, `first` and `line` it always does. */
  readonly by?: RegExp
  /** The same for the first word only: `tar xf`. */
  readonly first?: RegExp
  /** The same for all words, joined by blanks. */
  readonly line?: RegExp
  /** A word that makes it only list, test or print. */
  readonly not?: RegExp
}

const always: Unpacker = {}
const tar: Unpacker = {
  by: /^-[^-]*x|^--(?:ext|ge)/,
  first: /^(?!.*O)[A-Za-z]*x[A-Za-z]*$/,
  not: /^-[xvzjJpkmhf]*O[xvzjJpkmhf]*$|^--to-stdout$/,
}
const cpio: Unpacker = { by: /^-[^-]*i|^--e/, not: /^-[idmuvBc]*t[idmuvBc]*$|^--(?:list|to-s)/ }
const unzip: Unpacker = { not: /^-[A-CE-OQ-Za-ce-wyz]*[lptvzZc][A-CE-OQ-Za-ce-wyz]*$/ }
const jar: Unpacker = { by: /^-[^-]*x|^--ext/, first: /^[A-Za-z]*x[A-Za-z]*$/ }
const sevenZip: Unpacker = { by: /^(?:[xe]|-d)$/i, not: /^-so$/ }
const letter: Unpacker = { first: /^-?[A-Za-z]*[xe][A-Za-z]*$/i }
const verb: Unpacker = {
  by: /^(?:extract|unpack|decompress)$/,
  first: /^(?:-{0,2}ext(?:ract|ract-file)?|-{0,2}[xed]|ef|decompress|unpack)$/,
}
const stored: Unpacker = {
  by: /^-[A-Za-z]*[Nx]|^--na/,
  not: /^-[A-Za-z]*[clt][A-Za-z]*$|^--(?:std|list|test)/,
}
const disk: Unpacker = { not: /^-(?:l|ll|lc|s|stat|cat|ls)$/ }

const unpackers: Readonly<Record<string, Unpacker>> = {
  ...each('tar gtar gnutar bsdtar libarchive-tar minitar star ptar tarlz xar tarsnap', tar),
  ...each('cpio gcpio bsdcpio afio', cpio),
  pax: { by: /^-[A-Za-z]*r/ },
  ...each('unzip bsdunzip', unzip),
  ...each('jar fastjar', jar),
  ...each('jmod jimage asar patool ouch aa yaa wheel umoci phar casync borg gem luarocks', verb),
  ...each('ar gcc-ar llvm-ar', { by: /^-?[abcDfiloOPsSTuUvV]*x[A-Za-z]*$/ }),
  ...each('7z 7za 7zr 7zz 7-zip p7zip', sevenZip),
  ...each('rar unrar unrar-free unrar-nonfree gcab unshield', { by: /^-{0,2}[xe]$|^--ext/i }),
  ...each('lha lharc lhasa arj unarj unace zoo arc zpaq', letter),
  ...each('unar aunpack dtrx unp deark unadf unalz unlzx unsit unyaffs nomarch unblob', always),
  ...each(
    'uudeview unshar munpack ripmime mhstore metamail tnef ripole apktool lrzuntar sasquatch jefferson extract_msg readpst unmkinitramfs',
    always,
  ),
  uudecode: { not: /^-[A-Za-z]*o|^--output/ },
  atool: { by: /^-[A-Za-z]*[xX]|^--ext/ },
  ...each('cabextract innoextract msiextract', { not: /^-[ltp]$|^--(?:list|test|pipe)/ }),
  ...each('foremost scalpel wimapply wimextract', always),
  binwalk: { by: /^-[A-Za-z]*[eM]|^--(?:ext|dd)/ },
  ...each('dpkg dpkg-deb dpkg-source', { by: /^-[A-Za-z]*[xXRe]$|^--(?:v?ext|raw-ext|control)/ }),
  ...each('unsquashfs rdsquashfs', disk),
  debugfs: { line: /dump/ },
  ...each('restore dar fsarchiver', { by: /^-[A-Za-z]*[rxi]|^rest(?:fs|dir)$/ }),
  xorriso: { by: /^-(?:extract|osirrox)/ },
  'wimlib-imagex': { first: /^(?:apply|extract)$/ },
  ditto: { by: /^-[A-Za-z]*x/ },
  ...each('gzip gunzip pigz unpigz lzop', stored),
  pdfdetach: { by: /^-saveall$/ },
  ...each('gpg gpg2', { by: /^--use-e/ }),
  gpgtar: { by: /^-[A-Za-z]*[dx]|^--(?:dec|ext)/ },
  pdftk: { by: /^unpack_files$/ },
  ffmpeg: { by: /^-dump_attachment/ },
  mkvextract: { by: /^attachments$/ },
  tshark: { by: /^--export-o/ },
  isoinfo: { by: /^-[A-Za-z]*X/ },
  ...each('mcopy photorec tsk_recover bulk_extractor', always),
  ...each('restic kopia duplicity bup', { by: /^restore$/ }),
  helm: { by: /^--untar/ },
  yq: { by: /^-[A-Za-z]*s|^--split-exp/ },
  exiftool: {
    by: /^-(?:filename|directory|testname|w|textout|o|out)(?:[!+<=\d]|$)|^-tagsfromfile/i,
  },
  exiv2: { by: /^(?:re|mv|-[A-Za-z]*r)/ },
  jhead: { by: /^-n/ },
  splitdiff: { by: /^-[A-Za-z]*[aE]/ },
  lrztar: { by: /^-[A-Za-z]*d/ },
  pkgutil: { by: /^--expand/ },
  lessmsi: verb,
  'rdiff-backup': { by: /^(?:restore|-r|--restore.*)$/ },
  gphoto2: { by: /^--get|^-[A-Z]*P/ },
  // They make names by a pattern, Perl's by code.
  ...each(
    'rename prename perl-rename file-rename brename rnr f2 mmv mcp mln mad zmv qmv imv renrot',
    always,
  ),
  sqlite3: { by: /^-A[A-Za-z]*x|^--?archive/ },
  cmake: { line: /(?:^|\s)-E tar \S*x/ },
  patch: { not: /^--(?:dry|help$|version$)/ },
  quilt: { first: /^(?:push|pop|import)$/ },
  git: {
    line: /^(?:-[Cc] \S+ |-\S+ )*(?:apply|am)(?: |$)/,
    not: /^--(?:check|stat|numstat|summary|cached|abort|quit|show)/,
  },
  hg: { first: /^(?:import|patch|unbundle)$/ },
  ...each('svn darcs', { first: /^(?:patch|apply)$/ }),
  gh: { line: /(?:^| )run (?:.* )?download(?: |$)/ },
  rsync: { by: /^--read-batch/ },
}

/**
 * SHELL-11: whether a command writes files under names it does not show: those in an archive, a patch or a message. The target
 * directory does not matter: git or an editor may be opened in any.
 */
export function unpacks(words: readonly string[]): boolean {
  // `npx -p package program`: options may take values.
  const starts = isPackageRunner(words) ? [1, 2, 3, 4] : [0]
  return starts.some((at) => unpacksItself(words.slice(at)))
}

function unpacksItself(words: readonly string[]): boolean {
  const [program = '', ...rest] = words
  const name = baseName(program)
    .toLowerCase()
    .replace(/(?:@[^/]*|\.exe)$/, '')
  if (!Object.hasOwn(unpackers, name)) return false
  const how = unpackers[name] ?? always
  return isAsked(how, rest) && !isSpared(how, rest)
}

/** Whether a word is an option with which it only lists: neither the value of another, nor an operand, nor taken back. */
function isSpared({ not }: Unpacker, rest: readonly string[]): boolean {
  if (not === undefined || rest.some((word) => takesBack.test(word))) return false
  return rest.some((word, at) => {
    const before = rest[at - 1] ?? ''
    const stands = at === 0 || (word.startsWith('--') && !/^-(?!\w\d+$)/.test(before))
    return stands && not.test(word)
  })
}

/** `git apply --stat --apply`, `--check --no-check`, and what ends the options. */
const takesBack = /^--(?:no-.*|ap.*)?$/

function isAsked({ by, first, line }: Unpacker, rest: readonly string[]): boolean {
  if (by === undefined && first === undefined && line === undefined) return true
  return (
    rest.some((word) => by?.test(word)) ||
    first?.test(rest[0] ?? '') === true ||
    line?.test(rest.join(' ')) === true
  )
}

function each(names: string, how: Unpacker): Readonly<Record<string, Unpacker>> {
  return Object.fromEntries(names.split(' ').map((name) => [name, how]))
}
