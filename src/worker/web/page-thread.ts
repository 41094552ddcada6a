import { parentPort } from 'node:worker_threads'
import { htmlToText } from './html-to-text.ts'
import type { PageAnswer, PageJob } from './page-job.ts'
import { checkSelector, selectElements } from './select-elements.ts'

/** A thread's program: a page may cost any time and memory to read, and this one can be ended. */
parentPort?.on('message', (job) => parentPort?.postMessage(doPageJob(job)))

/** Does what a page's thread is for. Never throws. */
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
