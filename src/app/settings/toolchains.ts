import { existsSync, globSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../config/config.ts'

/** BASH-12: what boxes get of the toolchains of the host that `[tools.shell] toolchains` names. */
interface Toolchains {
  /** Folders that are there, to be mounted read-only under their own path. */
  readonly folders: readonly string[]
  /** Files in them that may hold credentials, to be hidden (BASH-05). */
  readonly masked: readonly string[]
  /** `PATH`, which comes before that of the box, and what else these toolchains look up. */
  readonly variables: Readonly<Record<string, string>>
  /** Folders that are named and not there. */
  readonly missing: readonly string[]
}

/** Looks at the named folders as they are now. */
export function readToolchains({ tools }: Pick<Config, 'tools'>): Toolchains {
  const named = [...new Set(tools.shell.toolchains)]
  const folders = named.filter((folder) =>
    statSync(folder, { throwIfNoEntry: false })?.isDirectory(),
  )
  const path = folders.flatMap(pathsOf).join(':')
  return {
    folders,
    masked: folders.flatMap(credentialsIn),
    variables: {
      ...(path === '' ? {} : { PATH: path }),
      ...Object.assign({}, ...folders.map(variablesOf)),
    },
    missing: named.filter((folder) => !folders.includes(folder)),
  }
}

function pathsOf(folder: string): readonly string[] {
  const below = ['shims', 'bin', 'condabin'].map((name) => join(folder, name))
  const there = below.filter((dir) => existsSync(dir))
  return there.length > 0 ? there : [folder]
}

/** By what is in a folder: a layout that each of these programs documents. */
const kinds: readonly { readonly variable: string; readonly signs: readonly string[] }[] = [
  { variable: 'RUSTUP_HOME', signs: ['toolchains', 'settings.toml'] },
  { variable: 'CARGO_HOME', signs: ['bin/cargo', 'env'] },
  { variable: 'CARGO_HOME', signs: ['registry/index'] },
  { variable: 'GOROOT', signs: ['bin/go', 'src'] },
  { variable: 'JAVA_HOME', signs: ['bin/java'] },
  { variable: 'VIRTUAL_ENV', signs: ['pyvenv.cfg'] },
  { variable: 'PYENV_ROOT', signs: ['shims', 'versions'] },
  { variable: 'NVM_DIR', signs: ['nvm.sh', 'versions'] },
  { variable: 'DOTNET_ROOT', signs: ['dotnet', 'shared'] },
]

function variablesOf(folder: string): Readonly<Record<string, string>> {
  const found = kinds.filter(({ signs }) => signs.every((sign) => existsSync(join(folder, sign))))
  return Object.fromEntries(found.map(({ variable }) => [variable, folder]))
}

/** Folders of an installation in which its settings lie. */
const settingsIn = ['', 'etc', 'conf', 'config', 'lib/node_modules/npm', 'NuGet']
/** Where managers of versions keep their installations: nvm, pyenv, asdf, SDKMAN, fnm, Volta, conda, rustup. */
const installations = [
  ...['versions/*', 'versions/*/*', 'installs/*/*', 'candidates/*/*', 'toolchains/*', 'envs/*'],
  ...['node-versions/*/installation', 'tools/image/*/*'],
]
const settingsFile =
  /(?:^|\.)(?:\w*rc|toml|properties|xml|json|ini|conf(?:ig)?|cfg|ya?ml|credentials?)$|^[._]?(?:netrc|credentials?)/i
const named =
  /credential|secret|^[._]?netrc$|^\.?(?:npm|pypi)rc$|^settings(?:-security)?\.xml$|^auth\.json$/i
const told = /(?:token|passw(?:or)?d|secret|_auth|api_?key|credential)["'\w.-]*\s*[=:>]/i
const largestSettings = 256 * 1024

/** Settings that are called after credentials, or name one; what cannot be read is hidden too. */
function credentialsIn(folder: string): readonly string[] {
  const roots = ['', ...globSync(installations, { cwd: folder })]
  const dirs = roots.flatMap((root) => settingsIn.map((part) => join(folder, root, part)))
  return dirs.flatMap((dir) => {
    if (statSync(dir, { throwIfNoEntry: false })?.isDirectory() !== true) return []
    const files = readdirSync(dir, { withFileTypes: true }).filter((entry) => !entry.isDirectory())
    return files
      .map(({ name }) => name)
      .filter((name) => named.test(name) || (settingsFile.test(name) && namesOne(join(dir, name))))
      .map((name) => join(dir, name))
  })
}

function namesOne(file: string): boolean {
  try {
    const { size } = statSync(file)
    return size > 0 && (size > largestSettings || told.test(readFileSync(file, 'utf8')))
  } catch {
    return true
  }
}
