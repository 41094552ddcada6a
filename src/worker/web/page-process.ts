import { type CheerioAPI, load } from 'cheerio'
import { htmlToText, type PageNode, walk } from './html-to-text.ts'
import { type PageAnswer, type PageJob, servesPages } from './page-reader.ts'

/** Program of a process of its own, which can be ended if a page takes too much time, and dies alone if it takes too much memory. */
if (process.argv.includes(servesPages)) {
  process.on('message', (job: PageJob) => process.send?.(doPageJob(job)))
}

/** Runs a page job. Never throws. */
export function doPageJob(job: PageJob): PageAnswer {
  try {
    if (job.kind === 'check') return checkSelector(job.select)
    if (job.kind === 'select') return selectElements(job)
    return { kind: 'ok', output: htmlToText(job.html, job.url, job.maxCharacters) }
  } catch {
    const message = 'the page could not be read: it nests too deep or is too large'
    return { kind: 'error', error: { category: 'permanent_failure', message } }
  }
}

type SelectJob = Extract<PageJob, { kind: 'select' }>

/** WEB-01: validates a selector. */
function checkSelector(select: string): PageAnswer {
  // The library accepts an incomplete selector, which matches nothing in a page.
  if (/(?:^|[>+~,])\s*$/.test(select)) return notUnderstood('something is missing at its end')
  try {
    load('<p></p>')(select)
    return { kind: 'ok', output: '' }
  } catch (error) {
    const why =
      error instanceof Error && error.name !== 'RangeError' ? error.message : 'it is too deep'
    return notUnderstood(why)
  }
}

function notUnderstood(why: string): PageAnswer {
  const message = `select: this is no CSS selector that is understood: ${why.slice(0, 200)}`
  return { kind: 'error', error: { category: 'invalid_parameters', message } }
}

/** WEB-01: returns the elements that match a selector, in document order. */
function selectElements(job: SelectJob): PageAnswer {
  const $ = load(job.markup, job.isXml ? { xml: true } : undefined)
  const found = $(job.select)
  if (found.length === 0) return { kind: 'ok', output: `No element matches ${job.select}` }
  const shown: string[] = []
  let room = job.maxCharacters
  for (let at = 0; at < Math.min(found.length, job.limit); at += 1) {
    const text = extract($, found.eq(at), job.extract)
    if (text.length > room) break
    room -= text.length
    shown.push(text)
  }
  const more = found.length - shown.length
  if (more > 0) shown.push(`[${shown.length} of ${found.length} elements shown]`)
  return { kind: 'ok', output: shown.join('\n') }
}

function extract($: CheerioAPI, element: ReturnType<CheerioAPI>, how: string): string {
  if (how === 'html') return $.html(element)
  if (how !== 'text') return element.attr(how.slice('attr:'.length)) ?? ''
  const [node] = element.toArray()
  return node === undefined ? '' : textOf(node)
}

/** Returns the text of an element on one line. Nested scripts and styles are skipped unless they were selected. */
function textOf(element: PageNode): string {
  const parts: string[] = []
  walk([element], (node) => {
    if (node.type === 'text') parts.push(node.data ?? '')
    return node === element || (node.type !== 'script' && node.type !== 'style')
  })
  return parts
    .join('')
    .replaceAll(/[\s\u00a0]+/g, ' ')
    .trim()
}
