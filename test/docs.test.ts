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

const scaling = 'docs/explanation/scaling.md'
const isMarked = (text: string) => /\b(?:measured|computed|documented)\b/i.test(text)

test('SHIP-08 each figure of scaling.md is marked as measured, computed or documented', () => {
  const sections = prose(read(scaling)).split(/^## /m).slice(1)
  expect(sections.length).toBeGreaterThan(4)
  for (const section of sections) {
    const [title = '', ...blocks] = section.split('\n\n')
    for (const [at, block] of blocks.entries()) {
      const around = blocks.slice(Math.max(0, at - 1), at + 2).join(' ')
      const isFree = title.startsWith('How to look') || !/\d/.test(block) || isMarked(around)
      expect(isFree, `${title}: ${block.slice(0, 80)}`).toBe(true)
    }
  }
})

test('SHIP-08 people in scaling.md follow from turns, and a plain turn costs much the same by one to eight agents', () => {
  const text = read(scaling)
  const each = Number(/1 turn a second is ([\d,]+) people/.exec(text)?.[1]?.replace(',', ''))
  expect(each).toBe(10 * 120)
  const numbers = (cell = '') =>
    [...cell.matchAll(/\d[\d,]*/g)].map(([found]) => Number(found.replaceAll(',', '')))
  const machines = [...text.matchAll(/^\| (?:one|the same|three|thirty)\b.*$/gm)].map(
    ([row]) => row,
  )
  expect(machines.length).toBeGreaterThan(3)
  for (const row of machines) {
    const [, , turns, people] = row.split(' | ')
    const wanted = numbers(turns).map((some) => some * each)
    expect(numbers(people).length, row).toBe(wanted.length)
    for (const [at, some] of numbers(people).entries())
      expect(Math.abs(some / (wanted[at] ?? 0) - 1), row).toBeLessThan(0.1)
  }
  const agents = [...text.matchAll(/^\| ([1248]) and \1 \|.*$/gm)].map(([row]) => numbers(row))
  expect(agents.map(([count]) => count)).toEqual([1, 2, 4, 8])
  const plain = agents.map(([, , node = 0, postgres = 0]) => node + postgres)
  expect(Math.max(...plain) / Math.min(...plain)).toBeLessThan(1.5)
})
