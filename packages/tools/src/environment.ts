/**
 * Names of variables that hold secrets by the field's custom: keys of model providers and clouds, tokens, passwords,
 * cookies, addresses that are secrets themselves. Commands that a model wrote do not get them.
 */
const secretName =
  /(?:^|_)(?:API_?KEYS?|ACCESS_KEY(?:_ID)?|SECRET_?KEY|PRIVATE_KEY|SIGNING_KEY|ENCRYPTION_KEY|AUTH_KEY|MASTER_KEY|KEYS?|TOKENS?|SECRETS?|PASSWORDS?|PASSWD|PASSPHRASE|PASS|PWD|CREDENTIALS?|CREDS|PAT|JWTS?|COOKIES?|AUTH|AUTHORIZATION|BEARER|DSN|CONNECTION_STRING)(?:_|$)|APIKEY|SECRET|PASSWORD|WEBHOOK|(?:^|_)(?:OAUTH|BASICAUTH|AUTHTOKEN)|^(?:PGPASSWORD|MYSQL_PWD|DATABASE_URL|REDIS_URL|MONGODB_URI)$/i;

/** Names that look like it and hold none: a folder, the place of a socket, of a window, a setting's name for git. */
const plainName = /^(?:PWD|OLDPWD|SSH_AUTH_SOCK|TOKENIZERS_PARALLELISM|GIT_CONFIG_KEY_[0-9]+)$/;

/** Forms that the keys of well-known services have, whatever variable they are in. */
const secretValue =
  /^(?:sk-|sk_live_|rk_live_|gh[pousr]_|github_pat_|glpat-|xox[abeprs]-|hf_|npm_|pypi-|AKIA[0-9A-Z]{16}|AIza[0-9A-Za-z_-]{30}|ya29\.|eyJ[A-Za-z0-9_-]{10,}\.)|-----BEGIN [A-Z ]*PRIVATE KEY/;

/** An address with a password in it. */
const openedUrl = /[a-z][a-z0-9+.-]*:\/\/[^\s/@]*:[^\s/@]+@/i;

/** Names of settings whose values are keys; `author` is none. */
const secretSetting =
  /^[ \t"']*[\w.-]*(?:token|passw|passphrase|secret|extraheader|auth(?!or)|api_?key|private_?key|cookie|smtppass)[\w.-]*["']?[ \t]*[=:][ \t]*["']?(?!(?:true|false|yes|no|on|off|[0-9]{0,3})["']?[ \t]*$)[^\s"']/im;
/** A key within some other text. */
const secretWithin = /(?:password|token|authorization)[=: ]+[^\s]/i;

/** Whether a text of settings seems to hold a key: in an address, by the name of a setting, or by its form. */
export function holdsSecret(text: string): boolean {
  return (
    openedUrl.test(text) ||
    secretSetting.test(text) ||
    secretWithin.test(text) ||
    text.split(/[\s"'=]+/).some((word) => secretValue.test(word)) ||
    // A key alone before the host, as services take their tokens.
    /:\/\/[A-Za-z0-9_-]{16,}@/.test(text)
  );
}

/** Variables that keep programs from waiting for somebody, paging, or drawing. */
const unattended = {
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  MANPAGER: 'cat',
  GIT_TERMINAL_PROMPT: '0',
  GIT_EDITOR: 'true',
  SSH_ASKPASS_REQUIRE: 'never',
  TERM: 'dumb',
  NO_COLOR: '1',
  DEBIAN_FRONTEND: 'noninteractive',
};

/** Whether a variable of this name is kept from commands. */
export function isSecretName(name: string): boolean {
  return secretName.test(name) && !plainName.test(name);
}

/** Whether a variable is kept from commands, by its name or by what it holds. */
function isSecretVariable(name: string, value: string): boolean {
  return isSecretName(name) || secretValue.test(value.trim()) || openedUrl.test(value);
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * What of the variables that are kept from commands is sure to be a secret, so that it can be taken out of texts
 * wherever it stands: nothing that could be a word, a path or a number.
 */
export function secretsIn(environment: Environment): string[] {
  return Object.entries(environment).flatMap(([name, value]) => {
    if (value === undefined || !isSecretVariable(name, value)) return [];
    const [, password] = /:\/\/[^\s/@]*:([^\s/@]+)@/.exec(value) ?? [];
    return [value.trim(), password ?? ''].filter(isUnmistakable);
  });
}

const isUnmistakable = (value: string) =>
  value.length >= 12 && /[0-9]/.test(value) && /[A-Za-z]/.test(value) && !/^[/~.]|\s/.test(value);

/** The environment to start from, secret-looking variables of it that stay, and values that never do. */
type KeptFromCommands = {
  environment: Environment;
  keptVariables: readonly string[];
  secrets: readonly string[];
};

/** The environment that commands and searches get. */
export function commandEnvironment({ environment, keptVariables, secrets }: KeptFromCommands): Record<string, string> {
  const holdsKey = (value: string) => secrets.some((secret) => secret !== '' && value.includes(secret));
  const kept = Object.entries(environment).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined &&
      (keptVariables.includes(entry[0]) || !(isSecretVariable(entry[0], entry[1]) || holdsKey(entry[1]))),
  );
  const given = Object.fromEntries(kept);
  return { ...given, ...unattended, ...onlyNamedBare(given) };
}

/**
 * A few plain files make a folder a bare repository, whose settings run programs as soon as git is called there. Git then
 * takes none for one that is not named. Behind the settings that the user's own environment has for git.
 */
function onlyNamedBare({ GIT_CONFIG_COUNT: count = '0' }: Environment): Record<string, string> {
  if (!/^[0-9]{1,4}$/.test(count)) return {};
  return {
    [`GIT_CONFIG_KEY_${Number(count)}`]: 'safe.bareRepository',
    [`GIT_CONFIG_VALUE_${Number(count)}`]: 'explicit',
    GIT_CONFIG_COUNT: String(Number(count) + 1),
  };
}
