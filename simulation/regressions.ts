/** Seeds that once showed a fault of the engine, with its cause. They run first. */
export const regressions: readonly { seed: number; fault: string }[] = [
  { seed: 15, fault: 'a subscriber that read an event from the log before it was published got it twice' },
  { seed: 20, fault: 'whoever sent an input a second time, after its turn, waited for ever for the end of that turn' },
  { seed: 34, fault: 'an input sent after a cancel was added without a turn, as the canceller had said of older ones' },
  { seed: 117, fault: 'a call whose outcome was lost in the process was run again, though it wrote' },
  { seed: 136, fault: 'a cancel waited for ever for a model that was still being prepared' },
  { seed: 154, fault: 'an outcome of a call from before it was judged again counted for what it did after' },
  { seed: 425, fault: 'a claim that could not be given back ended in a rejection that nobody looked at' },
  { seed: 1280, fault: 'a cancel waited for ever for a tool that was finding out what had become of its call' },
];
