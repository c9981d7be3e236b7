/** What a check found: how it is, and where it is not well, what to do. */
export type Finding = {
  /** What was looked at: `configuration`, `log`. */
  about: string;
  state: 'ok' | 'warning' | 'failed';
  detail: string;
  advice: string | null;
};

export const ok = (about: string, detail: string): Finding => ({ about, state: 'ok', detail, advice: null });
export const warning = (about: string, detail: string, advice: string | null = null): Finding => ({
  about,
  state: 'warning',
  detail,
  advice,
});
export const failed = (about: string, detail: string, advice: string | null = null): Finding => ({
  about,
  state: 'failed',
  detail,
  advice,
});
