/** Recognises addresses without a model behind them. Trying again does not help, so the error is reported at once. */
import type { PawlError } from '@pawl/protocol';
import { modelError } from '../errors.ts';

/** OpenSSL's words for a certificate that is not trusted, as Node gives them (https://nodejs.org/api/tls.html#x509-certificate-error-codes). */
const certificateCodes = /CERT|^UNABLE_TO_|^INVALID_CA$|^INVALID_PURPOSE$|^PATH_LENGTH_EXCEEDED$|^HOSTNAME_MISMATCH$/;

/** The error of a connection that cannot come about at this address, or null if another try may succeed. */
export function unusableAddress(error: Error, host: string): PawlError | null {
  const code = codeOf(error);
  if (code === 'ENOTFOUND') {
    const sentence = `There is no host ${host}: its name is not known. Check the base URL for a slip, and the network and its DNS.`;
    return modelError('unknown_host', sentence, {}, { cause: error });
  }
  if (certificateCodes.test(code)) {
    const sentence = `The certificate of ${host} is not trusted (${error.message || code}). ${certificateAdvice(code)}`;
    return modelError('untrusted_certificate', sentence, {}, { cause: error });
  }
  if (code === 'EPROTO' || code.startsWith('ERR_SSL_')) {
    const sentence = `${host} does not speak TLS as it should (${code}). Check the base URL: a server of your own may want http:// and another port.`;
    return modelError('not_a_model', sentence, {}, { cause: error });
  }
  return null;
}

export function codeOf(error: Error): string {
  return 'code' in error ? String(error.code) : '';
}

function certificateAdvice(code: string): string {
  switch (code) {
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
    case 'HOSTNAME_MISMATCH':
      return 'It is for another name: check the base URL.';
    case 'CERT_HAS_EXPIRED':
    case 'CERT_NOT_YET_VALID':
      return "Check this machine's clock; else the server needs a new one.";
    default:
      return 'If a proxy of your company or a server of your own signs it, set NODE_EXTRA_CA_CERTS to a file with the certificate that it is signed with.';
  }
}

/** How a web page begins, whatever its head calls it. */
const pageStart = /^\s*(<\?xml[^>]*>\s*)?(<!--[\s\S]*?-->\s*)?<(!doctype|html|head|body|title)\b/i;

/** Whether the head of an answer, or how its body begins, says that it is a web page. */
export function isWebPage(contentType: string | undefined, opening: string): boolean {
  return contentType?.includes('html') === true || pageStart.test(opening);
}

/** Whether a body begins neither as events nor as JSON do. */
export function isPlainText(opening: string): boolean {
  return /^\s*[^\s:{[]/.test(opening) && !/^\uFEFF?\s*(data|event|id|retry)\b/.test(opening);
}

/** The error of a success that is something for people to read. `body` is how it begins. */
export function notAModel(host: string, body: string): PawlError {
  const title = /<title[^>]*>([^<]*)/i.exec(body)?.[1] ?? '';
  const text = (title || body.replace(/<(style|script)[\s\S]*?<\/\1>|<[^>]*>/gi, ' ')).replace(/\s+/g, ' ').trim();
  const what = isWebPage(undefined, body) || body === '' ? 'a web page' : 'a text';
  const said = text === '' ? '' : ` (“${text.slice(0, 80)}”)`;
  const sentence = `${host} answered with ${what}${said} where a model's answer should be. Check the base URL, and whether a login page, a proxy or a firewall stands in between.`;
  return modelError('not_a_model', sentence);
}
