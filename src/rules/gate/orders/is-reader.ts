import { fedByFind } from '../shell/name-streams.ts'
import { baseName, isSystemProgram } from '../shell/programs/program-name.ts'
import { writesSecond } from '../shell/programs/second-file.ts'

/**
 * Programs that open the files they name to read them, or take them away, whatever their words say, but for the options that
 * `writing` names.
 */
const readers: ReadonlySet<string> = new Set(
  (
    'cat tac head tail less more bat batcat nl wc ls eza exa tree stat file du df grep egrep fgrep zgrep rg ag ack fd find diff cmp ' +
    'comm sort uniq cut tr fold rev paste column jq yq xxd od hexdump strings md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum ' +
    'cksum realpath readlink basename dirname test [ [[ echo printf pwd cd pushd popd true false sed awk gawk mawk nawk rm rmdir unlink ' +
    'shellcheck hadolint yamllint zcat bzcat xzcat zstdcat zless tokei which type command ' +
    // They run it, which is asked about by itself.
    'source .'
  ).split(' '),
)

/** Words of readers that name a file which is written. */
const writing: Readonly<Record<string, RegExp>> = {
  sed: /^-[A-Za-z]*i|^--in-place|^-n?[eEsrz]*i/,
  yq: /^-[A-Za-z]*i|^--in(?:place)?/,
  sort: /^-[A-Za-z]*o|^--o/,
  tree: /^-[A-Za-z]*o|^--o/,
  less: /^-[A-Za-z]*[oO]|^--log/i,
  more: /^\+/,
  find: /^-(?:delete|exec|execdir|ok|okdir|fprint|fprint0|fprintf|fls)$/,
  fd: /^-[A-Za-z]*[xX]|^--exec/,
  file: /^-[A-Za-z]*C|^--compile/,
  awk: /^-[A-Za-z]*[io]|^--/,
  gawk: /^-[A-Za-z]*[iodp]|^--/,
  rg: /^--pre/,
  bat: /^--(?:pager|config)/,
  shellcheck: /^--rcfile/,
  column: /^--output=/,
}

/** Of git: what stores files of the work tree, or looks at them, and changes none of them. */
const gitReaders: ReadonlySet<string> = new Set(
  'add annotate blame cat-file check-ignore commit describe diff diff-files diff-index diff-tree grep log ls-files ls-tree name-rev rev-list rev-parse rm shortlog show show-ref status'.split(
    ' ',
  ),
)

/** SHELL-11: whether a command reads the files that its words name, and writes none of them. */
export function isReader(words: readonly string[]): boolean {
  const [program = '', ...rest] = words
  // A file of the workspace may have any name.
  if (program.includes('/') && !isSystemProgram(program)) return false
  const name = baseName(program)
  if (name === 'git') return isGitReader(rest)
  if (name === 'find' && fedByFind(words) !== undefined) return true
  if (!readers.has(name)) return false
  if (writesSecond(name, rest)) return false
  const writes = Object.hasOwn(writing, name) ? writing[name] : undefined
  return writes === undefined || !rest.some((word) => writes.test(word))
}

function isGitReader(rest: readonly string[]): boolean {
  const at = rest.findIndex((word) => !word.startsWith('-'))
  const options = rest.slice(0, at)
  if (!options.every((word) => word === '--no-pager' || word === '-P')) return false
  if (!gitReaders.has(rest[at] ?? '')) return false
  return !rest
    .slice(at + 1)
    .some((word) => /^--(?:output|ext-diff|textconv|pathspec-from)/.test(word))
}
