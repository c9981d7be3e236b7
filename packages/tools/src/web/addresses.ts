/**
 * Which addresses are the public Internet. Whatever is not (this machine, its network, the cloud's metadata, ranges
 * kept for documentation or never given out) is not for a model to reach.
 * Source: IANA's special-purpose registries, https://www.iana.org/assignments/iana-ipv4-special-registry and
 * https://www.iana.org/assignments/iana-ipv6-special-registry.
 */
import { isIPv4, isIPv6 } from 'node:net';

type Range = readonly [network: string, what: string];

const closedIpv4: readonly Range[] = [
  ['0.0.0.0/8', 'this machine'],
  ['10.0.0.0/8', 'a private network'],
  ['100.64.0.0/10', 'a provider’s internal network'],
  ['127.0.0.0/8', 'this machine'],
  ['168.63.129.16/32', 'a cloud’s metadata service'],
  ['169.254.0.0/16', 'a link-local network, where clouds keep their metadata'],
  ['172.16.0.0/12', 'a private network'],
  ['192.0.0.0/24', 'a range for protocols'],
  ['192.0.2.0/24', 'a range for documentation'],
  ['192.88.99.0/24', 'a range of relays'],
  ['192.168.0.0/16', 'a private network'],
  ['198.18.0.0/15', 'a range for measurements'],
  ['198.51.100.0/24', 'a range for documentation'],
  ['203.0.113.0/24', 'a range for documentation'],
  ['224.0.0.0/4', 'a multicast group'],
  ['240.0.0.0/4', 'a reserved range'],
];

/** Of IPv6 only 2000::/3 is given out at all; these parts of it are not for the public either. */
const closedIpv6: readonly Range[] = [
  ['2001::/23', 'a range for protocols'],
  ['2001:db8::/32', 'a range for documentation'],
  ['2002::/16', 'a range of relays'],
  ['3fff::/20', 'a range for documentation'],
];
const namedIpv6: readonly Range[] = [
  ['::/128', 'this machine'],
  ['::1/128', 'this machine'],
  ['64:ff9b:1::/48', 'a private network'],
  ['fc00::/7', 'a private network'],
  ['fe80::/10', 'a link-local network'],
  ['fec0::/10', 'a private network'],
  ['ff00::/8', 'a multicast group'],
];
const givenOut = '2000::/3';
/** IPv6 addresses that stand for an IPv4 address in their last 32 bits: mapped, and translated by NAT64 (RFC 6052). */
const standIns = ['::ffff:0:0/96', '64:ff9b::/96'];

/** What lies at an address that is not public, or null for a public one. What is no address is never public. */
export function closedAddress(address: string): string | null {
  if (isIPv4(address)) return named(closedIpv4, ipv4Bits(address), 32);
  const plain = address.replace(/%.*$/, '');
  if (!isIPv6(plain)) return 'no address';
  const bits = ipv6Bits(plain);
  if (standIns.some((network) => isWithin(bits, network, 128))) return named(closedIpv4, bits & 0xffff_ffffn, 32);
  if (!isWithin(bits, givenOut, 128)) return named(namedIpv6, bits, 128) ?? 'a range that is not given out';
  return named(closedIpv6, bits, 128);
}

function named(ranges: readonly Range[], bits: bigint, width: 32 | 128): string | null {
  return ranges.find(([network]) => isWithin(bits, network, width))?.[1] ?? null;
}

function isWithin(bits: bigint, network: string, width: 32 | 128): boolean {
  const [start = '', length = ''] = network.split('/');
  const shift = BigInt(width - Number(length));
  return bits >> shift === (width === 32 ? ipv4Bits(start) : ipv6Bits(start)) >> shift;
}

const ipv4Bits = (address: string) => address.split('.').reduce((bits, part) => (bits << 8n) | BigInt(part), 0n);

function ipv6Bits(address: string): bigint {
  const tail = /[^:]*\.[^:]*$/.exec(address)?.[0];
  const last = tail === undefined ? null : ipv4Bits(tail);
  const groups =
    last === null || tail === undefined
      ? address
      : `${address.slice(0, -tail.length)}${hex(last >> 16n)}:${hex(last & 0xffffn)}`;
  const [front = '', back] = groups.split('::');
  const parts = (text: string) => (text === '' ? [] : text.split(':'));
  const missing = back === undefined ? 0 : 8 - parts(front).length - parts(back).length;
  const all = [...parts(front), ...Array<string>(missing).fill('0'), ...parts(back ?? '')];
  return all.reduce((bits, group) => (bits << 16n) | BigInt(`0x${group}`), 0n);
}

const hex = (bits: bigint) => bits.toString(16);
