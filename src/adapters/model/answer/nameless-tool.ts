/** Stands for the name of a call to which the model gave none; no tool has it, and the model is told which there are. */
export const namelessTool = 'unnamed'
