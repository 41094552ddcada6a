/** So long that what ends at once did not wait for it. */
export const longGrace = { COUNTERSIGN_LIMITS_SHUTDOWN_GRACE: '5m' }
/** Far below the long grace, which it would take otherwise, and far above what a busy machine holds up. */
export const atOnceMs = 60_000
