/** `4:59`; empty where nothing runs out. Both in Unix milliseconds. */
export function leftText(expiresAt: number | null, now: number): string {
  if (expiresAt === null) return '';
  const seconds = Math.max(0, Math.ceil((expiresAt - now) / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
