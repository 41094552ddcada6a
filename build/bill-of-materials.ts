import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import manifest from '../package.json' with { type: 'json' }

/** Directories of the packages that these modules are of, each once. */
export function packagesOf(modules: readonly string[]): readonly string[] {
  const found = modules.map((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0])
  return [...new Set(found.filter((directory) => directory !== undefined))].sort()
}

/**
 * Writes which packages a bundle holds: `sbom.cdx.json` in CycloneDX 1.6, which scanners of images and packages read, and their
 * licences in `licenses.txt`, which most of them want to stand in every copy.
 */
export async function writeBillOfMaterials(
  dir: string,
  directories: readonly string[],
): Promise<void> {
  const parts = await Promise.all(directories.map(describe))
  const components = parts.map(({ name, version, license }) => ({
    type: 'library',
    name,
    version,
    purl: purlOf(name, version),
    licenses: [{ expression: license }],
  }))
  const { name, version } = manifest
  const metadata = {
    component: { type: 'application', name, version, purl: purlOf(name, version) },
  }
  const bill = { bomFormat: 'CycloneDX', specVersion: '1.6', version: 1, metadata, components }
  await writeFile(join(dir, 'sbom.cdx.json'), `${JSON.stringify(bill, undefined, 1)}\n`)
  const texts = parts.map(
    (part) => `${part.name} ${part.version} (${part.license})\n\n${part.text}`,
  )
  await writeFile(join(dir, 'licenses.txt'), texts.join(`\n${'-'.repeat(80)}\n`))
}

async function describe(directory: string) {
  const { name, version, license } = JSON.parse(
    await readFile(join(directory, 'package.json'), 'utf8'),
  )
  if (typeof license !== 'string') throw new Error(`${directory} names no license`)
  const names = await readdir(directory)
  const file = names.find((each) => /^(?:licen[cs]e|copying)(?:[.-]|$)/i.test(each))
  const text = file === undefined ? '' : (await readFile(join(directory, file), 'utf8')).trim()
  return { name: String(name), version: String(version), license, text: `${text}\n` }
}

function purlOf(name: string, version: string): string {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`
}
