import { parentPort, workerData } from 'node:worker_threads'

/** The program of a thread: it does one thing, says what came of it, and ends. */
const { module, name, input } = workerData
const { [name]: work } = await import(module)
parentPort?.postMessage(work(input))
