/** Options of everyday programs that run something or write a file (SHELL-04, SHELL-10). */
interface Options {
  /** Long names; every abbreviation of them counts too. */
  readonly long?: string
  /** Letters of short options, alone or in a cluster. */
  readonly short?: string
  /** Letters of short options that take the rest of their word as a value. */
  readonly valued?: string
  /** Whole words, also when `=` follows. */
  readonly words?: string
}

const table: Readonly<Record<string, Options>> = {
  sort: { long: 'output compress-program', short: 'o' },
  shuf: { long: 'output', short: 'o' },
  rg: { long: 'pre pre-glob hostname-bin' },
  fd: { long: 'exec exec-batch', short: 'xX' },
  fdfind: { long: 'exec exec-batch', short: 'xX' },
  find: {
    words: '-exec -execdir -ok -okdir -delete -fprint -fprint0 -fprintf -fls -files0-from',
  },
  tree: { short: 'o', long: 'output' },
  tar: {
    long: 'checkpoint-action to-command use-compress-program info-script new-volume-script rsh-command rmt-command absolute-names',
    short: 'IFP',
  },
  rsync: { long: 'rsh rsync-path', short: 'e' },
  scp: { short: 'SoF' },
  sftp: { short: 'SoFD' },
  split: { long: 'filter' },
  zip: { long: 'unzip-command test', short: 'T' },
  man: { long: 'pager html', short: 'PH' },
  bat: { long: 'pager' },
  ag: { long: 'pager' },
  ack: { long: 'pager' },
  date: { long: 'set', short: 's' },
  curl: {
    long: 'config output output-dir remote-name remote-name-all upload-file dump-header trace trace-ascii stderr libcurl etag-save hsts alt-svc',
    short: 'KoOTJDc',
    valued: 'AbdeEFHmPQrtuUwXxyYzC',
    words: '--cookie-jar',
  },
  wget: { long: 'execute use-askpass config post-file body-file', short: 'e' },
  nc: { short: 'ec' },
  ncat: { long: 'exec sh-exec lua-exec', short: 'ec' },
  npm: { long: 'script-shell call node-options', short: 'c' },
  npx: { long: 'call', short: 'c' },
  make: { long: 'eval', short: 'E' },
  cargo: { long: 'config' },
  go: { words: '-exec -toolexec -vettool' },
  gcc: { words: '-wrapper -fplugin -specs' },
  cc: { words: '-wrapper -fplugin -specs' },
  clang: { words: '-wrapper -fplugin -Xclang -load' },
  jq: { long: 'from-file', short: 'f' },
  tcpdump: { short: 'zw' },
  bun: { long: 'eval print preload', short: 'epr' },
  ip: { words: 'exec' },
}

/** The first word that makes the program run something or write a file. */
export function riskyOption(program: string, words: readonly string[]): string | undefined {
  const options = Object.hasOwn(table, program) ? table[program] : undefined
  if (options === undefined) return undefined
  const oldStyle = program === 'tar' ? words[1] : undefined
  return words
    .slice(1)
    .filter((word, at) => !(isOutput.test(word) && words[at + 2] === '/dev/null'))
    .find(
      (word) =>
        isLong(word, options.long) ||
        isShort(word, options) ||
        isWord(word, options.words) ||
        (word === oldStyle && /^[A-Za-z]+$/.test(word) && /[IFP]/.test(word)),
    )
}

/** With harmless letters in front; to the null device nothing is written. */
const isOutput = /^-[sSfLkiIv]*o$|^--output$/

function isLong(word: string, names = ''): boolean {
  const name = /^--([^=]+)/.exec(word)?.[1]
  return name !== undefined && names.split(' ').some((long) => long.startsWith(name))
}

function isShort(word: string, { short = '', valued = '' }: Options): boolean {
  const cluster = [...(/^-([A-Za-z0-9]+)/.exec(word)?.[1] ?? '')]
  const risky = cluster.findIndex((letter) => short.includes(letter))
  return risky !== -1 && !cluster.slice(0, risky).some((letter) => valued.includes(letter))
}

function isWord(word: string, names = ''): boolean {
  const name = word.split('=')[0] ?? word
  return name !== '' && names.split(' ').includes(name)
}
