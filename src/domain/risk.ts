/**
 * The tier that decides who may approve (APPR-17). low: reads, and writes in the workspace; medium: commands, and tools whose
 * arguments do not tell what they do; high: any hazard of a shell command, what deletes or destroys, the network, and places
 * outside the workspace.
 */
export type Risk = 'low' | 'medium' | 'high'
