/** POL-05: what the reviewer said of one call; `failed`: it gave no answer that counts. */
export interface Review {
  readonly outcome: 'allow' | 'reject' | 'failed'
  /** In the reviewer's words, or what failed. For the audit and for people, never for the model that asked for the call. */
  readonly reason: string
  /** The name of the model that reviewed. */
  readonly by: string
}

/** POL-05: how the operator wants calls reviewed. */
export interface ReviewRules {
  /** Stands for who reviews and by which policy: what another one said does not count. */
  readonly reviewer: string
  /** Whether a call that is rejected is refused; false: a person is asked. */
  readonly blockOnReject: boolean
  /** Whether a call goes on where the review failed; false: that counts as rejected. */
  readonly failOpen: boolean
  /** Names of tools, or wildcards over them, that are not reviewed. */
  readonly exemptTools: readonly string[]
}
