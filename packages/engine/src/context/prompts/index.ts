/** The system prompt: its pieces, and how they are put together. */
export { composePrompt, type PromptQuery, promptOf, promptText } from './compose.ts';
export { categories, conditions, type Piece } from './pieces.ts';
