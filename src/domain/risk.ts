/**
 * Risk tier that decides who may approve (APPR-17). low: reads, and writes in the workspace; medium: commands, and
 * tools whose arguments do not show their effect; high: hazards of shell commands, deletion, network access, and
 * paths outside the workspace.
 */
export type Risk = 'low' | 'medium' | 'high'
