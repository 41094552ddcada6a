import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { expect, test } from 'vitest'
import { referencePages } from './support/reference/pages.ts'

const root = join(import.meta.dirname, '..')
/** Folders of `docs/` by what a reader wants; decisions are explanations, one a file. */
const purposes = ['tutorials', 'how-to', 'reference', 'explanation', 'decisions']
const mostLines = 300
/** Generated as one page, in which people search for a key. */
const areGenerated = new Set(['docs/reference/configuration.md', 'docs/reference/commands.md'])

const read = (path: string) => readFileSync(join(root, path), 'utf8')

const pages = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.md'))
  .map((name) => `docs/${name}`)
const documents = [...pages, 'README.md', 'CONTRIBUTING.md', '.github/SECURITY.md', 'CHANGELOG.md']

/** Markdown without what stands in code. */
const prose = (text: string) => text.replaceAll(/^```.*?^```/gms, '').replaceAll(/`[^`\n]*`/g, '`')

/** Anchors of a page's headings, as forges make them. */
function anchorsOf(path: string): ReadonlySet<string> {
  const text = read(path).replaceAll(/^```.*?^```/gms, '')
  return new Set([...text.matchAll(/^#{1,6} (.+)$/gm)].map(([, title = '']) => toAnchor(title)))
}

function toAnchor(title: string): string {
  const words = title.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase()
  return words.replaceAll(/[^\p{L}\p{N}_\- ]/gu, '').replaceAll(' ', '-')
}

function linksOf(path: string): readonly string[] {
  return [...prose(read(path)).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link = '']) => link)
    .filter((link) => !/^[a-z]+:/.test(link))
}

function leadsSomewhere(from: string, link: string): boolean {
  const [path = '', anchor] = link.split('#')
  const target = path === '' ? from : normalize(join(dirname(from), path))
  if (!existsSync(join(root, target))) return false
  return anchor === undefined || anchorsOf(target).has(anchor)
}

test('DOC-02 generated pages are in step with what they are made from (npm run reference)', async () => {
  for (const [path, text] of Object.entries(await referencePages()))
    expect(read(path), path).toBe(text)
})

test('DOC-02 every link between documents leads to a file, and to a heading where it names one', () => {
  const links = documents.flatMap((from) => linksOf(from).map((link) => [from, link] as const))
  expect(links.length).toBeGreaterThan(200)
  expect(links.filter(([from, link]) => !leadsSomewhere(from, link))).toEqual([])
})

test('DOC-02 pages lie in a folder by their purpose, have at most 300 lines, and the index leads to each', () => {
  const misplaced = pages.filter(
    (page) => page !== 'docs/README.md' && !purposes.includes(page.split('/')[1] ?? ''),
  )
  expect(misplaced).toEqual([])
  const long = pages.filter(
    (page) => !areGenerated.has(page) && read(page).split('\n').length - 1 > mostLines,
  )
  expect(long).toEqual([])
  const index = new Set(linksOf('docs/README.md').map((link) => join('docs', link)))
  const isListed = (page: string) =>
    page === 'docs/README.md' || index.has(page) || /^docs\/decisions\/(?!README)/.test(page)
  expect(pages.filter((page) => !isListed(page))).toEqual([])
})

test('DOC-02 what the product, its files and its tests say about documents names files that are there', () => {
  const places = [
    'src',
    'bench',
    'deploy',
    'docker',
    'docker-compose.yml',
    '.env.example',
    'Dockerfile',
  ]
  const named = places
    .flatMap((place) => filesOf(place))
    .flatMap((file) =>
      [...read(file).matchAll(/\bdocs\/[\w/-]+\.(?:md|json|svg|png)\b(?:#[\w-]+)?/g)].map(
        ([link]) => [file, link] as const,
      ),
    )
  expect(named.length).toBeGreaterThan(20)
  expect(named.filter(([, link]) => !leadsSomewhere('README.md', link))).toEqual([])
})

function filesOf(place: string): readonly string[] {
  if (!statSync(join(root, place)).isDirectory()) return [place]
  return readdirSync(join(root, place), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
}

test('CARD-06 generated pages say things in plain words: no riddles about what, who or nobody', async () => {
  const pagesByPath = Object.entries(await referencePages())
  for (const [path, text] of pagesByPath.filter(([name]) => name.endsWith('.md'))) {
    const cells = text.split('\n').flatMap((line) => (line.startsWith('|') ? line.split('|') : []))
    const riddles = cells.filter((cell) => /^ *(?:What|Whoever|Nobody|It is|Of which)\b/.test(cell))
    expect(riddles, path).toEqual([])
  }
})
