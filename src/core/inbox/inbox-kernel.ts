import type { CallKernel } from '../call/call-kernel.ts'

/** What acting on messages of people needs. */
export interface InboxKernel extends CallKernel {
  /** As `/status` shows it. */
  readonly modelName: string
}
