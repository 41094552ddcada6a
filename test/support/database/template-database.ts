/** The migrated database that each test database is a clone of. Nobody can connect to it. */
export const templateDatabase = 'countersign_template'

/** The same after a product has run over it: its queue's tables and functions are there, which take longer than the clone. */
export const usedTemplateDatabase = 'countersign_used_template'
