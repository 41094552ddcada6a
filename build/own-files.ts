import { basename, dirname, relative, resolve } from 'node:path'
import type { Plugin } from 'rolldown'

/** Folders that our modules look up: their places from the root of the checkout, and from the bundle. */
export type Folders = Readonly<Record<string, string>>

const ownUrl = /new URL\(\s*'([^']+)',\s*import\.meta\.url,?\s*\)/g
const lazyRequire = /createRequire\(import\.meta\.url\)\('([^']+)'\)/g
const harmless = /createRequire\(import\.meta\.url\)|import\.meta\.main\b|import\.meta\['url'\]/g

/**
 * Makes what our modules find by their own place (`import.meta.url`) right for a bundle, whose modules lie side by side: a module
 * named by its URL becomes a program beside them, a folder is looked up in `folders`, a package that is required by need becomes
 * a module beside them unless it is `external`. Any other use of `import.meta` stops the build.
 */
export function ownFiles(root: string, folders: Folders, external: readonly RegExp[]): Plugin {
  return {
    name: 'own-files',
    transform: {
      filter: { id: { include: /\.ts$/, exclude: /\/node_modules\// }, code: 'import.meta' },
      async handler(code, id) {
        const files = new Map<string, string>()
        const add = async (named: string, fileName: string): Promise<void> => {
          const found = await this.resolve(named, id)
          if (found === null) throw new Error(`${id} needs ${named}, which is not there`)
          this.emitFile({ type: 'chunk', id: found.id, fileName })
          files.set(named, `./${fileName}`)
        }
        for (const path of namedIn(code, ownUrl))
          if (path.endsWith('.ts')) await add(path, `${basename(path, '.ts')}.js`)
        for (const name of namedIn(code, lazyRequire))
          if (!external.some((each) => each.test(name))) await add(name, `${toFileName(name)}.js`)
        const folderOf = (path: string) => folders[relative(root, resolve(dirname(id), path))]
        const changed = code
          .replaceAll(ownUrl, (all, path: string) => {
            const place = files.get(path) ?? folderOf(path)
            return place === undefined ? all : `new URL('${place}', import.meta['url'])`
          })
          .replaceAll(lazyRequire, (all, name: string) =>
            all.replace(`'${name}'`, `'${files.get(name) ?? name}'`),
          )
        const unknown = changed.replaceAll(harmless, '').match(/.*\bimport\.meta\b.*/)
        if (unknown) throw new Error(`${id}: no bundle has this place: ${unknown[0].trim()}`)
        // Lines stay where they are, and with them the map of the source.
        return { code: changed.replaceAll("import.meta['url']", 'import.meta.url'), map: null }
      },
    },
  }
}

function namedIn(code: string, form: RegExp): readonly string[] {
  return [...code.matchAll(form)].map(([, name = '']) => name)
}

function toFileName(name: string): string {
  return name.replaceAll(/[^a-z0-9]+/g, '-')
}
