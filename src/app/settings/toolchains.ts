import { existsSync, globSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../config/config.ts'

/** BASH-12: what boxes receive of the host's toolchains that `[tools.shell] toolchains` names. */
interface Toolchains {
  /** Existing folders, mounted read-only under their own path. */
  readonly folders: readonly string[]
  /** Files in them that may hold credentials, to be masked (BASH-05). */
  readonly masked: readonly string[]
  /** `PATH`, which precedes that of the box, and further variables of these toolchains. */
  readonly variables: Readonly<Record<string, string>>
  /** Folders that are configured but do not exist. */
  readonly missing: readonly string[]
}

/** Reads the present state of the configured folders. */
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

/** Recognises a toolchain by the documented layout of its folder. */
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

/** Folders of an installation that hold its settings. */
const settingsIn = ['', 'etc', 'conf', 'config', 'lib/node_modules/npm', 'NuGet']
/** Where version managers keep installations: nvm, pyenv, asdf, SDKMAN, fnm, Volta, conda, rustup. */
const installations = [
  ...['versions/*', 'versions/*/*', 'installs/*/*', 'candidates/*/*', 'toolchains/*', 'envs/*'],
  ...['node-versions/*/installation', 'tools/image/*/*'],
]
const settingsFile =
  /(?:^|\.)(?:\w*rc|toml|properties|xml|json|ini|conf(?:ig)?|cfg|ya?ml|credentials?)$|^[._]?(?:netrc|credentials?)/i
const named =
  /credential|secret|^[._]?netrc$|^\.?(?:npm|pypi)rc$|^settings(?:-security)?\.xml$|^auth\.json$/i
const credentialLine = /(?:token|passw(?:or)?d|secret|_auth|api_?key|credential)["'\w.-]*\s*[=:>]/i
const largestSettings = 256 * 1024

/** Finds settings files that are named after credentials or contain one; unreadable files are masked too. */
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
    return size > 0 && (size > largestSettings || credentialLine.test(readFileSync(file, 'utf8')))
  } catch {
    return true
  }
}
