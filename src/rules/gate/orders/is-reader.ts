import { parseFindExec } from '../shell/find-exec.ts'
import { baseName, isSystemProgram } from '../shell/programs/program-name.ts'
import { writesSecond } from '../shell/programs/second-file.ts'
import { parseXargs } from '../shell/xargs.ts'

/** Programs that only read or delete the files they name, except with the options in `writing`. */
const readers: ReadonlySet<string> = new Set(
  (
    'cat tac head tail less more bat batcat nl wc ls eza exa tree stat file du df grep egrep fgrep zgrep rg ag ack fd find diff cmp ' +
    'comm sort uniq cut tr fold rev paste column jq yq xxd od hexdump strings md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum ' +
    'cksum realpath readlink basename dirname test [ [[ echo printf pwd cd pushd popd true false sed awk gawk mawk nawk rm rmdir unlink ' +
    'tomlq xq gojq jaq dasel shellcheck hadolint yamllint actionlint zizmor zcat bzcat xzcat zstdcat zless tokei which type command ' +
    // They run the file, which is asked about separately.
    'source .'
  ).split(' '),
)

/** Options of readers that name a file to be written. */
const writing: Readonly<Record<string, RegExp>> = {
  sed: /^-[A-Za-z]*i|^--in-place|^-n?[eEsrz]*i/,
  yq: /^-[A-Za-z]*i|^--in(?:place)?/,
  tomlq: /^-[A-Za-z]*i|^--in-?place|^-[A-Za-z]*f|^--from/,
  xq: /^-[A-Za-z]*i|^--in-?place|^-[A-Za-z]*f|^--from/,
  dasel: /^(?:put|delete)$|^-[A-Za-z]*[wo]$|^--(?:out|write)/,
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
  actionlint: /^--?(?:init|shellcheck|pyflakes|config-file)/,
  zizmor: /^--(?:fix|config|cache)/,
  column: /^--output=/,
}

/** git subcommands that store or read work tree files and change none. */
const gitReaders: ReadonlySet<string> = new Set(
  'add annotate blame cat-file check-ignore commit describe diff diff-files diff-index diff-tree grep log ls-files ls-tree name-rev rev-list rev-parse rm shortlog show show-ref status'.split(
    ' ',
  ),
)

/** SHELL-11: whether a command only reads the files that its words name. */
export function isReader(words: readonly string[]): boolean {
  const [program = '', ...rest] = words
  // A workspace file may have any name.
  if (program.includes('/') && !isSystemProgram(program)) return false
  const name = baseName(program)
  if (name === 'git') return isGitReader(rest)
  if (name === 'find' && parseFindExec(words) !== undefined) return true
  if (name === 'xargs') {
    const fed = parseXargs(words)
    return fed !== undefined && isReader(fed.command)
  }
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
