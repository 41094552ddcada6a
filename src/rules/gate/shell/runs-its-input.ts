import { baseName } from './program-name.ts'
import { isInterpreter, wrappers } from './programs.ts'

/** Programs that make commands of the lines they read. */
const takesLines: ReadonlySet<string> = new Set(
  (
    'xargs parallel batch at entr gdb lldb ftp sftp lftp psql mysql mariadb sqlite3 sqlite duckdb gnuplot dc ed ex m4 mail ' +
    'mailx s-nail telnet crontab debugfs openssl pdb bpftrace redis-cli expect octave gpg-connect-agent zxpy'
  ).split(' '),
)

/** Programs that run, or have others run, what a file says; `-` or a device as that file is the input. */
const takesRecipes: ReadonlySet<string> = new Set(
  (
    'make gmake just task ninja docker docker-compose podman podman-compose nerdctl kubectl oc helm pip pip3 uv go ' +
    'terraform nomad ansible-playbook cmake npm npx cargo eslint prettier'
  ).split(' '),
)

const isInput =
  /^(?:-|-[A-Za-z]+-|--?[\w-]+=-|(?:--?[\w-]+=|-[A-Za-z]+)?\/(?:dev\/(?:stdin|fd\/\d+)|proc\/self\/fd\/\d+))$/

/** Whether a command takes what it runs from its standard input: a shell or interpreter without a script, `xargs`. */
export function runsItsInput(words: readonly string[]): boolean {
  const program = baseName(words[0] ?? '').toLowerCase()
  if (takesLines.has(program)) return true
  if (takesRecipes.has(program)) return words.slice(1).some((word) => isInput.test(word))
  const takesCode = wrappers.get(program)?.takesCode === true
  if (!takesCode && !(isInterpreter(program) && !/awk$/.test(program))) return false
  const first = words[1]
  return first === undefined || first.startsWith('-') || first.startsWith('/dev/')
}
