/** POL-05: the review of one call; `failed`: there was no valid answer. */
export interface Review {
  readonly outcome: 'allow' | 'reject' | 'failed'
  /** In the reviewer's words, or the failure. For the audit and for people, never for the model that made the call. */
  readonly reason: string
  /** The reviewing model's name. */
  readonly by: string
}

/** POL-05: the operator's review settings. */
export interface ReviewRules {
  /** Identifies the reviewer and its policy: a review by another one does not count. */
  readonly reviewer: string
  /** Whether a rejected call is denied; false: a person is asked. */
  readonly blockOnReject: boolean
  /** Whether a call proceeds if the review failed; false: it counts as rejected. */
  readonly failOpen: boolean
  /** Tools, or wildcards over tool names, that are not reviewed. */
  readonly exemptTools: readonly string[]
}
