import { readingPrograms } from './wide-reads.ts'

/**
 * Words in the name of an option that say that its value is a file which is written, a place where settings, code or packages come
 * from, or a program: `--log-file`, `--testEnvironment`, `--tool-config-file`.
 */
const parts: ReadonlySet<string> = new Set(
  (
    'filename directory directories log logs cache config kubeconfig report reporter reporters reports profiling save baseline suppress ' +
    'suppressions stats out checker runner sequencer processor environment plugin plugins extension extensions manifest source sources ' +
    'index url proxy server command wrapper builder bootstrap working chdir cwd web browser graph github script init mcp daemon bisect ' +
    'drb projects fuzz refresh scale store db snapshot settings tool evaluate pdb diag collect adapter preset pool api ref stdin ' +
    'merge lockfile inspect jvm sdk prefix root tracing extract emit licenses logbase yaml compose'
  ).split(' '),
)
const ofPlaces = /(?:files?|dirs?|paths?)$/

/** Options with such a word that only choose what is shown. */
const harmless =
  /^(?:report-unused-disable-directives.*|ignore-path|exclude-(?:dir|path|file)|include-path|name-pattern|no-.*|files-with-matches|rootless|show-source|source-map)$/

const readers: ReadonlySet<string> = new Set(
  readingPrograms.flatMap((line) => line.split(' ')).filter((name) => !/lint|flake|py/.test(name)),
)

/**
 * SHELL-10: whether an option may make a command that otherwise reads, builds or tests write a file of any name, or run or ask
 * something else. Readers of files and git, whose options are known one by one, are left out.
 */
export function mayDecideByName(program: string, word: string): boolean {
  if (program === 'git' || readers.has(program)) return false
  // `cargo -C evil`: what lies there is built, tested or shown.
  if (/^-C/.test(word)) return true
  const name = /^--?([A-Za-z][\w.-]{2,})/.exec(word)?.[1]
  if (name === undefined || harmless.test(name)) return false
  return name
    .replaceAll(/([a-z])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .split(/[-_.]/)
    .some((part) => parts.has(part) || ofPlaces.test(part))
}
