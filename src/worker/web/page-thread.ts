import { parentPort } from 'node:worker_threads'
import { doPageJob } from './do-page-job.ts'

/** A thread's program: a page may cost any time and memory to read, and this one can be ended. */
parentPort?.on('message', (job) => parentPort?.postMessage(doPageJob(job)))
