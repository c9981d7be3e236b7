/** Of any number of names, the first few in order, without sorting or keeping the rest. */
export function keepSmallest(most: number): { add(name: string): void; names(): string[]; count(): number } {
  let kept: string[] = [];
  let count = 0;
  let largest: string | null = null;
  const cut = () => {
    kept.sort((one, other) => (one < other ? -1 : 1));
    kept = kept.slice(0, most);
    largest = kept.length === most ? (kept.at(-1) ?? null) : null;
  };
  return {
    add(name) {
      count += 1;
      if (largest !== null && name > largest) return;
      kept.push(name);
      if (kept.length >= 8 * most) cut();
    },
    names() {
      cut();
      return kept;
    },
    count: () => count,
  };
}
