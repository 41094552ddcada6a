import type { Place } from './place.ts'

/** What is to be said of one thread, and what was. */
export interface ToldThread<State> {
  readonly place: Place
  wanted: State
  /** Undefined: what Slack shows is not known. */
  answered: Answer<State> | undefined
  /** A call is under way, or waits for its time: whatever is wanted meanwhile goes behind it. */
  isBusy: boolean
  /** Slack did something by itself while a call was under way: nobody knows which came first. */
  isUnsure: boolean
  /** Since Slack answered last. */
  failures: number
  /** Nothing is tried until then. */
  restsUntil: number
}

/** What Slack was told and answered to last, or did by itself. */
interface Answer<State> {
  readonly state: State
  /** False: it does not take that there, however often it is told. */
  readonly isSaid: boolean
  readonly at: number
}

/** `shown`: what holds where nothing was said yet; undefined: nobody knows. */
export function createThread<State>(
  place: Place,
  wanted: State,
  shown: State | undefined,
): ToldThread<State> {
  const answered = shown === undefined ? undefined : { state: shown, isSaid: true, at: 0 }
  return { place, wanted, answered, isBusy: false, isUnsure: false, failures: 0, restsUntil: 0 }
}
