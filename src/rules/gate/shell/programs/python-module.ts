import { baseName } from './program-name.ts'

/** Modules that test or check the workspace's code, and run it like a script would. */
const plainModules: ReadonlySet<string> = new Set(
  'pytest unittest mypy black ruff flake8 isort pylint compileall py_compile'.split(' '),
)

/** Modules that start a program of the same name, which rules have to allow too. */
const programs: ReadonlySet<string> = new Set(
  'coverage build twine tox nox poetry pre_commit virtualenv venv'.split(' '),
)

/** Modules of the standard library, which only explain themselves when asked to. */
const standard =
  /^(?:http\.server|venv|pip|json\.tool|pdb|cProfile|timeit|zipfile|tarfile|ensurepip|sysconfig|site|calendar|doctest|trace|dis|ast|tokenize)$/
/** Names by which projects call their own packages: they run as scripts of the workspace do (A.B as `A/B.py`). */
const ownModule =
  /^(?:src|apps?|scripts?|tools|backend|server|services?|api|pipelines?|etl|jobs|training|experiments|benchmarks?|examples?|cli|main|manage|train|evaluate|tests)(?:\.[A-Za-z]\w*)*$/

/** Options of `json.tool`, `--indent` with its number; the second operand is written. */
const jsonOption = /^--(?:sort-keys|no-ensure-ascii|json-lines|tab|no-indent|compact|indent=\d+)$/

/** A Python command that runs a module by name. */
export interface ModuleRun {
  readonly name: string
  /** `code`: allowed only by a rule that names the module; `plain`: like a script; `program`: if rules allow its program. */
  readonly kind: 'plain' | 'program' | 'code'
  /** The prefix that a rule needs to allow it; none for a submodule. */
  readonly form: string | undefined
  /** The module and its arguments. */
  readonly words: readonly string[]
}

/** The module that `python -m …` runs; undefined for another command. */
export function moduleRun(words: readonly string[]): ModuleRun | undefined {
  const [program = '', option, name = '', ...rest] = words
  if (!/^(?:python|pypy)[\d.]*$/.test(baseName(program)) || option !== '-m') return undefined
  if (!/^[A-Za-z]\w*(?:\.[A-Za-z]\w*)*$/.test(name)) return undefined
  const form = name.includes('.') ? undefined : words.slice(0, 3).join(' ')
  const found = { name, form, words: words.slice(2) }
  if (ownModule.test(name)) return { ...found, kind: 'plain' }
  // The workspace may hold a module of any of these names, which then runs as a script does.
  if (standard.test(name) && /^(?:-h|--help)$/.test(rest.join(' ')))
    return { ...found, kind: 'plain' }
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

/** `pip` commands that only show, or that install what a workspace file names, or pip and its helpers. */
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
