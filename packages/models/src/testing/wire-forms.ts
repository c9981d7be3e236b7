import { anthropicForm } from './wire-anthropic.ts';
import { googleForm } from './wire-google.ts';
import { openaiChatForm } from './wire-openai-chat.ts';
import { openaiResponsesForm } from './wire-openai-responses.ts';
import type { WireForm } from './wire-request.ts';

/** Every wire that a test server speaks. */
const forms: readonly WireForm[] = [anthropicForm, openaiChatForm, openaiResponsesForm, googleForm];

/** The wire at a path, or null. */
export function formAt(path: string): WireForm | null {
  return forms.find((form) => form.isAt(path)) ?? null;
}
