/** Whether this run takes its time: more kills, longer outages, larger floods. */
export const isNightly = process.env['COUNTERSIGN_NIGHTLY'] === 'true'
