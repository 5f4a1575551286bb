// Every fault of the simulator's table as the page offers it: its group (groups.js), a text, the fault with values that
// matter, and what its moment counts: cards at the intake, at the exit or in the tray, moves of the store, or milliseconds. `unseen` says why a
// machine of that kind does not notice it.

const MOTOR = ['carousel', 'shelves', 'shoe'];
const STORE = ['carousel', 'shelves'];
const BY_HAND = { draw: 'the speed of a hand is unknown, so no length is measured' };
const IN_TRAY = { shelves: 'the card is there before the deck is taken', shoe: 'the tray beam shows whether cards lie there, not how many' };

export const FAULT_LIST = [
  { id: 'misfeed', where: 'hopper', text: 'a card does not feed', fault: { fault: 'misfeed', times: 9 }, at: 'card', kinds: MOTOR },
  { id: 'double_feed', where: 'hopper', text: 'two cards at once', fault: { fault: 'double_feed', offset_um: 30000 }, at: 'card', kinds: MOTOR },
  { id: 'jam-throat', where: 'throat', text: 'a card jams in the throat', fault: { fault: 'jam', place: 'throat', at_um: 40000 }, at: 'card', kinds: MOTOR },
  { id: 'jam-mouth', where: 'throat', text: 'a card jams in the mouth', fault: { fault: 'jam', place: 'mouth', at_um: 20000 }, at: 'card', kinds: STORE },
  { id: 'jam-exit', where: 'exit', text: 'a card jams at the exit', fault: { fault: 'jam', place: 'exit', at_um: 40000 }, at: 'exit', kinds: ['carousel'] },
  { id: 'stall', where: 'throat', text: 'a card hesitates', fault: { fault: 'stall', place: 'throat', at_um: 60000, jogs: 1 }, at: 'card', kinds: MOTOR },
  { id: 'card_lost-rail', where: 'throat', text: 'a card slips under a rail', fault: { fault: 'card_lost', place: 'rail' }, at: 'card', kinds: STORE },
  { id: 'card_lost-exit', where: 'exit', text: 'a card is lost at the exit', fault: { fault: 'card_lost', place: 'exit' }, at: 'exit', kinds: ['carousel'] },
  { id: 'foreign', where: 'hopper', text: 'a short foreign card', fault: { fault: 'foreign', length_um: 60000 }, at: 'card', unseen: BY_HAND },
  { id: 'wrong_back', where: 'hopper', text: 'a card with another back', fault: { fault: 'wrong_back' }, at: 'card', needs: 'back' },
  { id: 'face_up', where: 'hopper', text: 'a card face up', fault: { fault: 'face_up' }, at: 'card', needs: 'face' },
  { id: 'tray_slow', where: 'exit', text: 'a card lands late', fault: { fault: 'tray_slow', us: 3000000 }, at: 'tray', kinds: MOTOR, unseen: IN_TRAY },
  { id: 'roller-pick', where: 'hopper', text: 'pick roller slips', fault: { fault: 'roller_dead', roller: 'pick' }, at: 'time', kinds: MOTOR },
  { id: 'roller-transport', where: 'throat', text: 'transport roller slips', fault: { fault: 'roller_dead', roller: 'transport' }, at: 'time', kinds: MOTOR },
  { id: 'roller-slow', where: 'throat', text: 'rollers turn 14 % slow', fault: { fault: 'roller_slow', percent: 14 }, at: 'time', kinds: MOTOR },
  { id: 'ejector_stuck', where: 'store', text: 'the ejector sticks', fault: { fault: 'ejector_stuck' }, at: 'time', kinds: STORE },
  { id: 'axis_stall', where: 'store', text: 'the store does not move', fault: { fault: 'axis_stall' }, at: 'move', kinds: STORE },
  { id: 'axis_slip', where: 'store', text: 'the store slips', fault: { fault: 'axis_slip', thousandths: 1500 }, at: 'move', kinds: STORE },
  { id: 'home_lost', where: 'store', text: 'the home mark is lost', fault: { fault: 'home_lost' }, at: 'time', kinds: STORE },
  { id: 'panel_lost', where: 'case', text: 'the panel is unplugged', fault: { fault: 'panel_lost' }, at: 'time' },
  { id: 'litter', where: 'exit', text: 'two cards dropped into the tray', fault: { fault: 'litter', cards: 2 }, at: 'time', kinds: MOTOR },
  { id: 'entropy', where: 'inside', text: 'the noise source dies', fault: { fault: 'entropy', kind: 'dead' }, at: 'time', kinds: STORE },
  { id: 'nv', where: 'inside', text: 'storage takes no writes', fault: { fault: 'nv', kind: 'broken' }, at: 'time' },
  { id: 'beam_stuck', where: 'beams', text: 'beam stuck blocked', fault: { fault: 'beam_stuck', level: 1 }, at: 'time' },
  { id: 'beam_blind', where: 'beams', text: 'beam blind', fault: { fault: 'beam_blind' }, at: 'time' },
  { id: 'beam_noise', where: 'beams', text: 'noise on the beam', fault: { fault: 'beam_noise', every_us: 400, width_us: 120 }, at: 'time' },
  { id: 'storm', where: 'beams', text: '20 kHz on the beam', fault: { fault: 'storm', edges_per_s: 40000 }, at: 'time' },
  { id: 'beam_dust', where: 'throat', text: 'dust on beam B', fault: { fault: 'beam_dust', line: 'throat_b', um: 16000 }, at: 'time', unseen: BY_HAND },
];

const HAND_WORDS = {
  open: 'the door is opened',
  cut: 'the plug is pulled',
  stop_card: 'a card is stopped by hand',
  load: 'cards are loaded',
  lift: 'the hopper is emptied',
  litter: 'a card is put into the tray',
  take: 'the tray is taken',
  draw_two: 'two cards are drawn at once',
  hold: 'a card is held',
};

/** What a step did, in words. */
export function stepText({ do: action, fault, line, ...step }) {
  if (action !== 'fault') return (HAND_WORDS[action] ?? action.replaceAll('_', ' ')) + (step.cards ? ` (${step.cards})` : '');
  const same = (entry) => entry.fault.fault === fault && ['place', 'roller'].every((key) => entry.fault[key] === step[key]);
  const text = FAULT_LIST.find(same)?.text ?? String(fault).replaceAll('_', ' ');
  return line ? `${text} (${line.replaceAll('_', ' ')})` : text;
}
