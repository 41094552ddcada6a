import type { OpenApproval } from '../../db/approval/open-approvals.ts'

/** Questions that somebody was told of and that are not taken back: by id, with what was told. */
export type ToldQuestions = ReadonlyMap<string, OpenApproval>

/** What is to be told so that somebody knows exactly what is open. */
export interface QuestionChanges {
  /** In the order in which they are open: new ones, and those that are open for another time than was told. */
  readonly required: readonly OpenApproval[]
  /** Told, and open no more. */
  readonly resolved: readonly OpenApproval[]
}

/** APPR-11: how what somebody was told differs from what is open. It goes by states, so that no lost signal is ever missed. */
export function compareQuestions(
  told: ToldQuestions,
  open: readonly OpenApproval[],
): QuestionChanges {
  const ids = new Set(open.map(({ id }) => id))
  return {
    required: open.filter((question) => !isTold(told.get(question.id), question)),
    resolved: [...told.values()].filter(({ id }) => !ids.has(id)),
  }
}

function isTold(told: OpenApproval | undefined, { expiresAt }: OpenApproval): boolean {
  return told?.expiresAt.getTime() === expiresAt.getTime()
}
