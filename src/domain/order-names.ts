/** Names of files, in lower case and without a leading dot, from which programs take what they run (SHELL-11). */
export const orderNames =
  /^(?:(?:agents|claude|gemini)\.md|lefthook\.ya?ml|(?:site|user)customize\.py|git~\d+|authorized_keys|pip\.conf)$/
