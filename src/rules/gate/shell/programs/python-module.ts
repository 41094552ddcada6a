import { baseName } from './program-name.ts'

/** Modules that test or look at the code of the workspace, as a script of it would. */
const plainModules: ReadonlySet<string> = new Set(
  'pytest unittest mypy black ruff flake8 isort pylint compileall py_compile'.split(' '),
)

/** Modules by which a program of the same name is started, which rules have to allow as well. */
const programs: ReadonlySet<string> = new Set(
  'coverage build twine tox nox poetry pre_commit virtualenv venv'.split(' '),
)

/** Options of `json.tool`, those of `indent` with their number; it writes its second operand. */
const jsonOption = /^--(?:sort-keys|no-ensure-ascii|json-lines|tab|no-indent|compact|indent=\d+)$/

/** How Python is told to run a module by its name. */
export interface ModuleRun {
  readonly name: string
  /** `code`: only a rule that names the module allows it; `plain`: as a script; `program`: if rules allow its program. */
  readonly kind: 'plain' | 'program' | 'code'
  /** What a rule has to begin with to allow it; none for a module within another. */
  readonly form: string | undefined
  /** The module and what it is given. */
  readonly words: readonly string[]
}

/** What `python -m …` runs; undefined for another command. */
export function moduleRun(words: readonly string[]): ModuleRun | undefined {
  const [program = '', option, name = '', ...rest] = words
  if (!/^(?:python|pypy)[\d.]*$/.test(baseName(program)) || option !== '-m') return undefined
  if (!/^[A-Za-z]\w*(?:\.[A-Za-z]\w*)*$/.test(name)) return undefined
  const form = name.includes('.') ? undefined : words.slice(0, 3).join(' ')
  const found = { name, form, words: words.slice(2) }
  if (plainModules.has(name) || (name === 'json.tool' && showsJson(rest)))
    return { ...found, kind: 'plain' }
  const isProgram = programs.has(name) || (name === 'pip' && installsNamed(rest))
  return { ...found, kind: isProgram ? 'program' : 'code' }
}

function showsJson(rest: readonly string[]): boolean {
  const operands = rest.filter((word, at) => {
    const isNumber = /^\d+$/.test(word) && rest[at - 1] === '--indent'
    return !isNumber && word !== '--indent' && !jsonOption.test(word)
  })
  return operands.length < 2 && !operands.some((word) => word.startsWith('-'))
}

/** `pip` that looks, or installs what a file of the workspace names, itself and its helpers. */
function installsNamed([sub = '', ...rest]: readonly string[]): boolean {
  if (/^(?:list|show|freeze|check|--version)$/.test(sub)) return true
  if (sub !== 'install') return false
  return rest.every((word, at) => {
    if (/^(?:-[reUq]|--(?:upgrade|quiet|requirement|editable|no-cache-dir))$/.test(word))
      return true
    if (/^(?:pip|setuptools|wheel)$/.test(word)) return true
    return /^(?:-[re]|--requirement|--editable)$/.test(rest[at - 1] ?? '') && isLocal.test(word)
  })
}

const isLocal = /^(?:\.|\.\[[\w,-]+\]|[\w./-]+\.txt)$/
