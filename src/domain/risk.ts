/** The tier that decides who may approve (DECISIONS 21): low reads, medium asks by rule, high has a hazard. */
export type Risk = 'low' | 'medium' | 'high'
