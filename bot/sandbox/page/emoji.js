// Short names of the emoji that bots and people use most. An unknown one stays :as_written:.

const TABLE = `
+1 👍|thumbsup 👍|-1 👎|thumbsdown 👎|100 💯|alarm_clock ⏰|arrow_down ⬇️|arrow_forward ▶️|arrow_left ⬅️|arrow_right ➡️|arrow_up ⬆️
arrows_counterclockwise 🔄|back 🔙|bangbang ‼️|bar_chart 📊|bell 🔔|books 📚|boom 💥|bug 🐛|bulb 💡|calendar 📅|card_index 📇|chart_with_upwards_trend 📈
clap 👏|clipboard 📋|clock1 🕐|cloud ☁️|cold_sweat 😰|computer 💻|confused 😕|construction 🚧|coffee ☕|dart 🎯|date 📅|double_vertical_bar ⏸️
email 📧|envelope ✉️|exclamation ❗|eyes 👀|file_folder 📁|fire 🔥|floppy_disk 💾|gear ⚙️|ghost 👻|globe_with_meridians 🌐|grey_question ❔|grin 😁|hammer 🔨
hammer_and_wrench 🛠️|heart ❤️|heavy_check_mark ✔️|heavy_minus_sign ➖|heavy_multiplication_x ✖️|heavy_plus_sign ➕|hourglass ⌛|hourglass_flowing_sand ⏳
house 🏠|inbox_tray 📥|information_source ℹ️|joy 😂|key 🔑|large_blue_circle 🔵|large_green_circle 🟢|large_orange_circle 🟠|large_red_circle 🔴
large_yellow_circle 🟡|white_circle ⚪|black_circle ⚫|link 🔗|lock 🔒|mag 🔍|mailbox 📫|mega 📣|memo 📝|money_with_wings 💸|moneybag 💰|muscle 💪|negative_squared_cross_mark ❎
new 🆕|no_entry ⛔|no_entry_sign 🚫|ok ✅|ok_hand 👌|open_file_folder 📂|outbox_tray 📤|package 📦|page_facing_up 📄|paperclip 📎|partying_face 🥳|pause_button ⏸️
pencil ✏️|pencil2 ✏️|point_down 👇|point_left 👈|point_right 👉|point_up ☝️|pray 🙏|pushpin 📌|question ❓|raised_hand ✋|raised_hands 🙌|red_circle 🔴|repeat 🔁|robot_face 🤖
rocket 🚀|rotating_light 🚨|scroll 📜|see_no_evil 🙈|shield 🛡️|slightly_smiling_face 🙂|smile 😄|smiley 😃|sob 😭|sparkles ✨|speech_balloon 💬|star ⭐|stop_button ⏹️
stop_sign 🛑|octagonal_sign 🛑|stopwatch ⏱️|sunny ☀️|tada 🎉|thinking_face 🤔|timer_clock ⏲️|traffic_light 🚥|triangular_flag_on_post 🚩|unlock 🔓|vertical_traffic_light 🚦|warning ⚠️|wastebasket 🗑️
wave 👋|white_check_mark ✅|wink 😉|wrench 🔧|writing_hand ✍️|x ❌|zap ⚡|zzz 💤|fast_forward ⏩|rewind ⏪|leftwards_arrow_with_hook ↩️|ballot_box_with_check ☑️|busts_in_silhouette 👥|bust_in_silhouette 👤
`;

const NAMES = new Map(
  TABLE.trim().split(/[|\n]/).map((entry) => {
    const at = entry.lastIndexOf(" ");
    return [entry.slice(0, at), entry.slice(at + 1)];
  }),
);

export const emojiChar = (name) => NAMES.get(String(name).toLowerCase());

/** From the code points that rich text carries ("1f44d-1f3fd"). */
export function fromCodePoints(hex) {
  const points = String(hex).split("-").map((part) => Number.parseInt(part, 16));
  return points.every((point) => point > 0 && point <= 0x10ffff) ? String.fromCodePoint(...points) : null;
}

export const withEmoji = (text) =>
  String(text).replace(/:([a-z0-9_+-]+):/gi, (whole, name) => emojiChar(name) ?? whole);
