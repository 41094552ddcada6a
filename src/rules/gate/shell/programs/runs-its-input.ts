import { runsNothing } from '../command-hazards.ts'
import { unwrapped } from '../plain-wrappers.ts'
import { execForm } from './exec-forms.ts'
import { baseName } from './program-name.ts'
import { isInterpreter, wrappers } from './programs.ts'
import { moduleRun } from './python-module.ts'

/** Programs that run the lines they read as commands. */
const takesLines: ReadonlySet<string> = new Set(
  (
    'xargs parallel batch at entr gdb lldb ftp sftp lftp psql mysql mariadb sqlite3 sqlite duckdb gnuplot dc ed ex m4 mail ' +
    'mailx s-nail telnet crontab debugfs openssl pdb bpftrace redis-cli expect octave gpg-connect-agent zxpy pgcli mycli litecli ' +
    'sqlplus cypher-shell influx beeline hive spark-sql trino presto impala-shell vsql surreal ysqlsh ' +
    'usql sqlcmd cqlsh snowsql isql clickhouse clickhouse-client groovysh erb uudecode cpio latex pdflatex lualatex xelatex tex'
  ).split(' '),
)

/** Programs that run a file's content, or have it run; `-` or a device as that file is standard input. */
const takesRecipes: ReadonlySet<string> = new Set(
  (
    'make gmake just task ninja docker docker-compose podman podman-compose nerdctl kubectl oc helm pip pip3 uv go ' +
    'terraform nomad ansible-playbook cmake npm npx cargo eslint prettier bun deno gs swift'
  ).split(' '),
)

/** Subcommands that read commands or queries: `nix repl`, `heroku pg:psql`, `prisma db execute`. */
const takesQueries = /^(?:repl|console|pg:psql|psql|dbshell|execute)$/

const isInput =
  /^(?:-|-[A-Za-z]+-|--?[\w-]+=-|(?:--?[\w-]+=|-[A-Za-z]+)?\/(?:dev\/(?:stdin|fd\/\d+)|proc\/self\/fd\/\d+))$/

/**
 * Whether a command runs its standard input: a shell or interpreter without a script, `xargs`, a program that writes the files
 * named in a patch; also inside `docker exec` and similar.
 */
export function runsItsInput(wrapped: readonly string[]): boolean {
  const words = unwrapped(wrapped)
  const exec = execForm(words)
  // Inside a wrapper, or in a container's own shell, the reader of the input is unknown.
  if (exec?.commands.length === 0) return true
  if (wrappers.has(baseName(words[0] ?? '')) && !runsNothing(words)) return true
  const inner = exec?.commands ?? []
  return (
    isFedCode(words) ||
    inner.some((command) => command[0]?.startsWith('-') === true || isFedCode(command))
  )
}

function isFedCode(words: readonly string[]): boolean {
  const program = baseName(words[0] ?? '').toLowerCase()
  // Its commands read certificates and keys.
  if (program === 'openssl' && /^(?!s_client$)[a-z]/.test(words[1] ?? '')) return false
  if (takesLines.has(program) || takesPatch(program, words)) return true
  if (moduleRun(words)?.name === 'json.tool') return false
  if (words.slice(1, 4).some((word) => takesQueries.test(word))) return true
  if (onlyTries(words)) return false
  if (takesRecipes.has(program)) return words.slice(1).some((word) => isInput.test(word))
  if (/awk$|^g?sed$|^jq$/.test(program) && takesProgram(words)) return true
  const takesCode = wrappers.get(program)?.takesCode === true
  if (!takesCode && !(isInterpreter(program) && !/awk$/.test(program))) return false
  const first = words[1]
  return first === undefined || first.startsWith('-') || first.startsWith('/dev/')
}

/** `kubectl apply --dry-run=server -f -` only says what would be done. */
export function onlyTries(words: readonly string[]): boolean {
  const [program = ''] = words
  return (
    program === 'kubectl' &&
    (words.some((word) => /^--dry-run=(?:client|server)$/.test(word)) || words[1] === 'diff')
  )
}

/** `awk -f -`, `sed -nf/dev/stdin`, `jq --from-file=-`. */
function takesProgram(words: readonly string[]): boolean {
  return words.some((word, at) => {
    const value = /^(?:-[A-Za-z]*[fE]|--(?:file|exec|from-file)(?:=|$))(.*)$/.exec(word)?.[1]
    return value !== undefined && isInput.test(value === '' ? (words[at + 1] ?? '') : value)
  })
}

/** `patch` and `git apply` read the input if no file is named. */
function takesPatch(program: string, words: readonly string[]): boolean {
  if (program === 'patch') return !words.includes('--dry-run')
  return program === 'git' && words.slice(1).some((word) => /^(?:apply|am|fast-import)$/.test(word))
}
