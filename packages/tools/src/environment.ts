import type { ToolOptions } from './options.ts';

/**
 * Names of variables that hold secrets by the field's custom: keys of model providers and clouds, tokens, passwords.
 * Commands that a model wrote do not get them.
 */
const secretName =
  /(?:^|_)(?:API_?KEYS?|ACCESS_KEY(?:_ID)?|SECRET_?KEY|PRIVATE_KEY|SIGNING_KEY|ENCRYPTION_KEY|AUTH_KEY|MASTER_KEY|KEY|TOKENS?|SECRETS?|PASSWORDS?|PASSWD|PASSPHRASE|PASS|CREDENTIALS?|PAT|DSN|CONNECTION_STRING)(?:_|$)|APIKEY|SECRET|PASSWORD|^(?:PGPASSWORD|MYSQL_PWD|DATABASE_URL|REDIS_URL|MONGODB_URI)$/i;

/** Variables that keep programs from waiting for somebody, paging, or drawing. */
const unattended = {
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  MANPAGER: 'cat',
  GIT_TERMINAL_PROMPT: '0',
  GIT_EDITOR: 'true',
  TERM: 'dumb',
  NO_COLOR: '1',
  DEBIAN_FRONTEND: 'noninteractive',
};

/** Whether a variable of this name is kept from commands. */
export function isSecretName(name: string): boolean {
  return secretName.test(name);
}

/** The environment that commands and searches get. */
export function commandEnvironment({
  environment,
  keptVariables,
}: Pick<ToolOptions, 'environment' | 'keptVariables'>): Record<string, string> {
  const kept = Object.entries(environment).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && (keptVariables.includes(entry[0]) || !isSecretName(entry[0])),
  );
  return { ...Object.fromEntries(kept), ...unattended };
}
