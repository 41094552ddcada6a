import { parentPort, workerData } from 'node:worker_threads'

/** The entry point of a thread: runs one function, posts its result, and ends. */
const { module, name, input } = workerData
const { [name]: work } = await import(module)
parentPort?.postMessage(work(input))
